// Effect of a set of operations on the scratchpad by counts: the data-flow maps of Flexer, section 4.2 and Fig. 7c. Of
// sets with equal maps only the first is considered.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule/problem/graph.hpp"

namespace tilewright::schedule {

/// Maximum set size: machines with more cores get several at a time.
inline constexpr int kLargestSet = 8;
/// Combinations of operations that are enumerated for a set.
inline constexpr double kLargestEnumeration = 3000.0;

/// Per operand, the number of operations sharing each tile: resident and new tiles apart, each list in descending
/// order, packed into bytes.
struct DataFlow {
    std::array<std::uint64_t, kOperands> reused{};
    std::array<std::uint64_t, kOperands> fresh{};

    auto operator<=>(const DataFlow&) const = default;
};

/// Requires at most kLargestSet operations. `resident` is by tile.
DataFlow data_flow(const OperationGraph& graph, const std::vector<int>& set, const std::vector<char>& resident);

/// "IN {1,1} WT - OT -"
std::string counts_text(const std::array<std::uint64_t, kOperands>& counts);

/// One set per data flow of `size` ready operations, the first in the order of `ready`. Up to `largest_enumeration`
/// combinations of the representatives are enumerated; beyond, sets are built by adding operations to the first set of
/// every smaller data flow, which may miss some. Requires 1 <= size <= kLargestSet and size <= ready.size().
std::vector<std::vector<int>> distinct_sets(const OperationGraph& graph, const std::vector<int>& ready,
                                            const std::vector<char>& resident, int size,
                                            double largest_enumeration = kLargestEnumeration);

/// Ready operations, in order, among which every data flow of `size` of them has its first set. Two inputs are alike if
/// their ready operations use the same weights, with the same tiles resident; so are two weights. Alike ones may be
/// exchanged in any set, so the first `size` of them suffice.
std::vector<int> representatives(const OperationGraph& graph, const std::vector<int>& ready,
                                 const std::vector<char>& resident, int size);

}  // namespace tilewright::schedule
