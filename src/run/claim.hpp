// What an answer is worth, in words. The one place that words it.
#pragma once

#include <string>

#include "mapper/mapper.hpp"
#include "mapspace/constraints.hpp"
#include "run/options.hpp"

namespace tilewright {

/// "proven optimal: no even mapping with perfect factors that meets the constraints has less energy", how far the best
/// is from the bound, what the search remarks, or "". From what the search saw or bounded (is_proven) and from nothing
/// else. `options`: of the search.
std::string claim_of(const SearchResult& found, const Constraints& constraints, const MapOptions& options);

}  // namespace tilewright
