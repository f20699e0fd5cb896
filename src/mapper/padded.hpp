// The search of a layer and of all ways to pad it (mapspace/padding.hpp) as one search: the best mapping of all of
// them, or the front of all of them.
//
//     const PaddedResult found = search_paddings(paddings(einsum, ...), objective, budget, search_one, progress);
#pragma once

#include <functional>
#include <vector>

#include "mapper/mapper.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

struct PaddedResult {
    /// As of one search: a lower bound holds, and `proven` is said, of all mappings of all the einsums.
    SearchResult result;
    Einsum einsum;                      ///< that result.best maps
    std::vector<Einsum> front_einsums;  ///< that the mappings of result.front map, one each
    int searched = 0;                   ///< einsums; those without any mapping are not counted
};

/// Searches one of the einsums.
using SearchEinsum = std::function<SearchResult(const Einsum&, const Budget&, const ProgressCallback&)>;

/// Every einsum gets an equal share of what is left of the evaluations and the time.
PaddedResult search_paddings(const std::vector<Einsum>& einsums, const Objective& objective, const Budget& budget,
                             const SearchEinsum& search, const ProgressCallback& progress = {});

}  // namespace tilewright
