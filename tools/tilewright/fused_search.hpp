// `tilewright map --fuse`: the best fused mapping of a cascade (docs/fusion.md).
#pragma once

#include "exit_status.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "search.hpp"

namespace tilewright::cli {

/// Throws InputError. Prints the groups, and what they cost beside single einsums.
ExitStatus search_fused(const InputOptions& input, const SearchPlan& plan, const OutputOptions& output);

}  // namespace tilewright::cli
