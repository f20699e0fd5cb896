// A place as a message prefix.
#pragma once

#include <string>

#include "base/error.hpp"

namespace tilewright {

/// "arch.yaml:12:7: ", as far as known; "" for no file.
std::string place_text(const Location& where);

}  // namespace tilewright
