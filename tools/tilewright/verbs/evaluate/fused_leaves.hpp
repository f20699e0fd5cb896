// `tilewright map --fuse --fused-mapping FILES`: the best mappings of the leaves that fused mappings leave open.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inputs/inputs.hpp"
#include "model/objective.hpp"
#include "options/exit_status.hpp"
#include "output/output.hpp"

namespace tilewright::cli {

/// Of one tree all that `evaluate --fused-mapping` says, as text or JSON, report and mapping in the -o directory; of
/// several one line each, side by side, and a directory for each in the -o directory. Trees that do not fit are told on
/// standard error, at their place. Throws InputError.
ExitStatus fill_trees(Inputs& inputs, const std::vector<std::string>& files, const Objective& objective,
                      std::optional<double> time_limit_seconds, const OutputOptions& output);

}  // namespace tilewright::cli
