// ZigZag's files for people.
#pragma once

#include <string>

#include "inputs.hpp"

namespace tilewright::cli {

/// "accelerator tpu_like: 4 memories, 1024 units"
std::string zigzag_accelerator_line(const zigzag::Accelerator& accelerator);

/// The loop nests of the mappings, with one memory column per operand, when there is a workload and a mapping; else the
/// machine: its memories, what they hold and serve, and their ports.
std::string zigzag_show_text(const std::string& verb, Inputs& inputs);

}  // namespace tilewright::cli
