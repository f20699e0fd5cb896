// What a machine as built is made of: data sheet, calibrated numbers, form, each with its source.
#pragma once

#include <string>

#include "silicon/files/silicon.hpp"

namespace tilewright::cli {

/// Empty for a systolic machine.
std::string silicon_text(const silicon::Silicon& silicon);

}  // namespace tilewright::cli
