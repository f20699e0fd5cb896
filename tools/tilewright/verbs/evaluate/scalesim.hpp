// SCALE-Sim's files on the command line: which they are, and --account scalesim.
#pragma once

#include <string>

#include "inputs/inputs.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"

namespace tilewright::cli {

/// True for tables (*.csv), which are topologies or refused.
bool is_topology(const std::string& name);
/// True for an existing *.cfg with SCALE-Sim's sections; others may be Timeloop's.
bool is_scalesim_config(const std::string& name);

/// SCALE-Sim's cycles of every layer on the machine of its configuration.
ExitStatus evaluate_scalesim(Inputs& inputs, const OutputOptions& output);

}  // namespace tilewright::cli
