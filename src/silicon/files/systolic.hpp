// The part of the section `silicon` on a systolic array.
#pragma once

#include "arch/architecture.hpp"
#include "silicon/systolic/machine.hpp"
#include "yaml/node.hpp"

namespace tilewright::silicon {

/// `section` has systolic_array. Throws InputError.
SystolicMachine read_systolic(const yaml::Node& section, const Architecture& architecture);

}  // namespace tilewright::silicon
