// Writes accelerators and workloads for ZigZag's readers and ours; they read back unchanged.
#pragma once

#include <string>
#include <vector>

#include "zigzag/files/load.hpp"
#include "zigzag/values/accelerator.hpp"

namespace tilewright::zigzag {

/// Throws InputError(unsupported) for ports without a bandwidth: a file needs one.
std::string write_accelerator(const Accelerator& accelerator);

/// Dimension names in upper case. Throws InputError(unsupported) for names impossible in an equation.
std::string write_workload(const std::vector<WorkloadLayer>& layers);

}  // namespace tilewright::zigzag
