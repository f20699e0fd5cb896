// Numbers in estimators' sentences.
#pragma once

#include <string>

namespace tilewright {

/// At most four significant digits, no trailing zeros: "0.2", "17.04".
std::string short_number(double value);

/// "384 B", "128 KiB", "1.5 MiB"
std::string size_text(double bytes);

}  // namespace tilewright
