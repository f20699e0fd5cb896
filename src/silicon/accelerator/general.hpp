// The general form of kernels (silicon/kernels), for a generation without a description of its kernels: usual tiles,
// operands at 64 bytes a clock, no cache of weights. Pure; thread-safe.
#pragma once

#include "silicon/accelerator/accelerator.hpp"
#include "silicon/kernels/machine.hpp"

namespace tilewright::silicon {

/// The machine by its data sheet and calibration alone. `unit_level`: the memory of one multiprocessor.
KernelMachine without_form(const Accelerator& machine, int unit_level = 0);

}  // namespace tilewright::silicon
