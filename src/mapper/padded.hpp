// Searches a layer and all its paddings (mapspace/constraints.hpp) as one search: the best mapping of all, or one
// front.
//
//     const PaddedResult found = search_paddings(paddings(einsum, ...), objective, budget, search_one, progress);
#pragma once

#include <functional>
#include <vector>

#include "mapper/mapper.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

struct PaddedResult {
    /// As of one search: bounds and `proven` hold for all mappings of all einsums.
    SearchResult result;
    Einsum einsum;                      ///< of result.best
    std::vector<Einsum> front_einsums;  ///< of each mapping in result.front
    int searched = 0;                   ///< einsums with mappings
};

/// Searches one of the einsums.
using SearchEinsum = std::function<SearchResult(const Einsum&, const Budget&, const ProgressCallback&)>;

/// Every einsum gets an equal share of the remaining evaluations and time.
PaddedResult search_paddings(const std::vector<Einsum>& einsums, const Objective& objective, const Budget& budget,
                             const SearchEinsum& search, const ProgressCallback& progress = {});

}  // namespace tilewright
