// Which orders of the loops at one place matter.
//
// A tensor does not see the innermost loops that do not move it. So an order is worth what it is worth for a chain of
// shrinking sets of resting tensors, from the inside outwards: a loop whose dimension moves none of the tensors in the
// i-th set, but some of the set before, is repeated for all tensors but those of the i-th set. There are only a few
// chains (3 for a convolution), whatever the number of loops.
#pragma once

#include <cstdint>
#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"

namespace tilewright::cosa {

/// Sets of tensors (bits), each a proper subset of the one before; never empty sets.
using Chain = std::vector<std::uint32_t>;

/// The maximal chains that dimensions with these relevances can make, in a fixed order.
std::vector<Chain> stationarity_chains(const std::vector<std::uint32_t>& relevances);

/// The tensors that rest under a dimension's loops in an order that follows the chain: its first set that the dimension
/// moves nothing of; 0 when there is none.
std::uint32_t resting(const Chain& chain, std::uint32_t relevance);

/// Puts dimensions into an order that follows the chain, innermost first; otherwise they keep theirs. `relevances`: by
/// dimension.
void sort_by_phase(std::vector<int>& dimensions, const Chain& chain, const std::vector<std::uint32_t>& relevances);

/// Sum of the weights of the tensors in the set.
double weight_of(std::uint32_t tensors, const std::vector<double>& weights);

}  // namespace tilewright::cosa
