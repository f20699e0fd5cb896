// A fingerprint of what the list scheduler sees of a graph and a numbering of its operations. The scheduler treats
// equal ones alike, whatever tiles are called: a layer turned on its side, or 1x1 kernels whose images are cut into as
// many equal parts another way.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "schedule/problem/graph.hpp"

namespace tilewright::schedule {

struct Fingerprint {
    std::array<std::uint64_t, 2> word{};

    auto operator<=>(const Fingerprint&) const = default;
};

/// Of the operations in the order of their numbers: which tiles each needs (by first appearance), the sizes of those,
/// and how long it takes. Graphs of one layer on one machine are alike when the fingerprints are equal.
Fingerprint fingerprint(const OperationGraph& graph, const std::array<Dim, kDims>& data_flow);

}  // namespace tilewright::schedule
