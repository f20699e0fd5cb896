// Writes ZigZag's files: accelerators and workloads that its readers, and ours, read back as they were.
#pragma once

#include <string>
#include <vector>

#include "zigzag/files/workload.hpp"
#include "zigzag/values/accelerator.hpp"

namespace tilewright::zigzag {

/// Throws InputError(unsupported) for ports that take no time: a file gives every port a bandwidth.
std::string write_accelerator(const Accelerator& accelerator);

/// Names of dimensions in upper case; Throws InputError(unsupported) for layers whose names no equation can have.
std::string write_workload(const std::vector<WorkloadLayer>& layers);

}  // namespace tilewright::zigzag
