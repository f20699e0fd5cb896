// What an answer is worth, in words. The one place that words it.
#pragma once

#include <string>

#include "mapper/mapper.hpp"
#include "mapspace/constraints.hpp"
#include "report/report.hpp"
#include "run/map_layer.hpp"
#include "run/options.hpp"

namespace tilewright {

/// Of a value of the objective: "pJ", "cycles", "pJ*cycles", "pJ^2*cycles^1".
std::string objective_unit(const Objective& objective);

/// "proven optimal: no even mapping with perfect factors that meets the constraints has less energy", how far the best
/// is from the bound, what the search remarks, or "". From what the search saw or bounded (is_proven) and from nothing
/// else. `options`: of the search.
std::string claim_of(const SearchResult& found, const Constraints& constraints, const MapOptions& options);

/// What the search did and what its answer is worth. `options`: of the search.
SearchSummary summary_of(const SearchResult& found, const Constraints& constraints, const MapOptions& options);

/// Of an answer that a simulation chose instead of the search's: that nothing is proven of it, and what was of the
/// other. `search`: of the search. Requires a choice that is not the search's answer.
std::string refined_claim(const SearchSummary& search, const report::Refinement& refinement);

/// Of a report whose layers were to be proven: which are not, how far each may be from the best, and that constraints
/// help; "" where all are proven, or where the search that was asked for proves nothing.
std::string unproven_note(const report::Report& report, const MapOptions& options);

}  // namespace tilewright
