// The part of the section `silicon` on a machine of kernels.
#pragma once

#include "arch/architecture.hpp"
#include "silicon/kernels/machine.hpp"
#include "yaml/node.hpp"

namespace tilewright::silicon {

/// `node` is the value of `kernels`. Throws InputError.
KernelMachine read_kernels(const yaml::Node& node, const Architecture& architecture);

}  // namespace tilewright::silicon
