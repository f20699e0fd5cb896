// Refusal of other programs' files, by format name, before a reader fails on their text.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::timeloop {

/// Throws InputError(unsupported) for GAMMA's layer tables, other comma-separated tables (*.csv) and LLMCompass
/// hardware.
void refuse_foreign(std::string_view text, const std::string& file);

}  // namespace tilewright::timeloop
