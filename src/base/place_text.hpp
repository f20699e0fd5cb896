// A place as it stands before what is said of it.
#pragma once

#include <string>

#include "base/error.hpp"

namespace tilewright {

/// "arch.yaml:12:7: ", as much of it as is known; "" for no file.
std::string place_text(const Location& where);

}  // namespace tilewright
