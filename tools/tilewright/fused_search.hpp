// `tilewright map --fuse`: the best fused mapping of a cascade (docs/fusion.md).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "exit_status.hpp"
#include "inputs.hpp"
#include "search.hpp"

namespace tilewright::cli {

/// Names of the options of `map` that --fuse takes.
const std::set<std::string>& options_of_fusion();

/// Prints the groups, and what they cost beside single einsums. `others`: what else was given, which is refused. Throws
/// InputError.
ExitStatus search_fused(const std::vector<std::string>& others, InputOptions input, const SearchPlan& plan, bool quiet);

}  // namespace tilewright::cli
