// Files of other programs that no reader takes: named by their format, before a reader stumbles over their text.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::timeloop {

/// Throws InputError(unsupported) for GAMMA's tables of layers, other tables with commas (*.csv) and the hardware of
/// LLMCompass.
void refuse_foreign(std::string_view text, const std::string& file);

}  // namespace tilewright::timeloop
