// Reads what Timeloop prints about a mapping: timeloop-model.stats.txt, timeloop-mapper.stats.txt.
#pragma once

#include <string>
#include <string_view>

#include "timeloop/account/printed_stats.hpp"

namespace tilewright::timeloop {

/// Levels, their tensors and the summary; networks and specifications are read over. Throws InputError for a text that
/// is no such output and for a number that is none.
account::PrintedStats read_stats(std::string_view text, const std::string& file);

}  // namespace tilewright::timeloop
