// The exact analysis of what a user named: counts of every layer, and what they cost on the machine.
#pragma once

#include "inputs/dataflow_inputs.hpp"
#include "report/peers/dataflow_report.hpp"

namespace tilewright::cli {

/// Requires what require_layers() asks for.
report::DataflowReport exact_report(const DataflowInputs& given);

}  // namespace tilewright::cli
