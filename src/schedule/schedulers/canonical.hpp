// Fingerprint of the list scheduler's view of a graph and an operation numbering. Equal ones are scheduled alike, up to
// tile names: a transposed layer, or 1x1 kernels over images cut into the same number of equal parts.
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

/// Per operation in numbering order: its tiles (by first appearance), their sizes, its latency. Graphs of one layer on
/// one machine with equal fingerprints are alike.
Fingerprint fingerprint(const OperationGraph& graph, const std::array<Dim, kDims>& data_flow);

}  // namespace tilewright::schedule
