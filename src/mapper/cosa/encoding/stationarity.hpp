// Orders of the loops at one place, up to equal cost.
//
// A tensor does not see its innermost irrelevant loops. An order is therefore priced as a chain of shrinking sets of
// resting tensors, from the inside outwards: a loop whose dimension moves none of the i-th set, but some of the set
// before, repeats for all tensors but the i-th set. There are few chains (3 for a convolution).
#pragma once

#include <cstdint>
#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"

namespace tilewright::cosa {

/// Sets of tensors (bits), each a proper subset of the one before; never empty sets.
using Chain = std::vector<std::uint32_t>;

/// The maximal chains of dimensions with these relevances, in a fixed order.
std::vector<Chain> stationarity_chains(const std::vector<std::uint32_t>& relevances);

/// The tensors resting under a dimension's loops: the chain's first set irrelevant to the dimension; 0 if none.
std::uint32_t resting(const Chain& chain, std::uint32_t relevance);

/// Stable sort of dimensions into an order following the chain, innermost first. `relevances`: by dimension.
void sort_by_phase(std::vector<int>& dimensions, const Chain& chain, const std::vector<std::uint32_t>& relevances);

double weight_of(std::uint32_t tensors, const std::vector<double>& weights);

}  // namespace tilewright::cosa
