// What `tilewright map` says its answers are worth.
#pragma once

#include <string>

#include "search.hpp"

namespace tilewright::cli {

/// "proven optimal: no even mapping with perfect factors that meets the constraints has less energy", how far the best
/// is from the bound, what the search remarks, or "". From what the search saw or bounded (is_proven) and from nothing
/// else.
std::string claim_of(const SearchResult& found, const Task& task, const SearchPlan& plan);

}  // namespace tilewright::cli
