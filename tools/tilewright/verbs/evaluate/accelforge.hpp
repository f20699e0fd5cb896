// `tilewright evaluate` of AccelForge's own mappings: counted as AccelForge does.
#pragma once

#include "inputs/inputs.hpp"
#include "options/exit_status.hpp"
#include "output/output.hpp"

namespace tilewright::cli {

/// Prints the costs; a mapping that does not fit its memories has none.
ExitStatus evaluate_accelforge(Inputs& inputs, const OutputOptions& output);

}  // namespace tilewright::cli
