// What a set of operations does to the scratchpad, by counts: the data-flow maps of Flexer, section 4.2 and Fig. 7c.
// Sets with equal maps are interchangeable, and only the first of them is considered.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule/problem/graph.hpp"

namespace tilewright::schedule {

/// Sets are not larger: a machine with more cores is given several at a time.
inline constexpr int kLargestSet = 8;

/// Of every operand, how many operations share each tile: the tiles that are there and the new ones apart, each list in
/// descending order, packed into bytes.
struct DataFlow {
    std::array<std::uint64_t, kOperands> reused{};
    std::array<std::uint64_t, kOperands> fresh{};

    auto operator<=>(const DataFlow&) const = default;
};

/// Requires at most kLargestSet operations. `resident` is by tile.
DataFlow data_flow(const OperationGraph& graph, const std::vector<int>& set, const std::vector<char>& resident);

/// "IN {1,1} WT - OT -"
std::string counts_text(const std::array<std::uint64_t, kOperands>& counts);

/// One set for every data flow of `size` ready operations: the first in the order of `ready`, found by adding one
/// operation at a time to the first set of every data flow of fewer. (With up to `largest_enumeration` combinations all
/// of them are looked at, as the paper does.) Requires 1 <= size <= kLargestSet and size <= ready.size().
std::vector<std::vector<int>> distinct_sets(const OperationGraph& graph, const std::vector<int>& ready,
                                            const std::vector<char>& resident, int size,
                                            double largest_enumeration = 3000.0);

}  // namespace tilewright::schedule
