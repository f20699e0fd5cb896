// Reads Timeloop's printed statistics: timeloop-model.stats.txt, timeloop-mapper.stats.txt.
#pragma once

#include <string>
#include <string_view>

#include "timeloop/account/printed_stats.hpp"

namespace tilewright::timeloop {

/// Levels, their tensors and the summary; networks and specifications are skipped. Throws InputError for a foreign text
/// or a malformed number.
account::PrintedStats read_stats(std::string_view text, const std::string& file);

}  // namespace tilewright::timeloop
