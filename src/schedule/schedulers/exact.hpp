// The best schedules of tiny graphs, by trying everything: the judge of bounds and heuristics.
//
// Under the rule `sum` with one DMA channel, in sets with a barrier after each. Tiles only have to fit by their sizes:
// that blocks cannot be moved is ignored, so no real schedule is better, and one that reaches a point of the front is
// optimal.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/problem/graph.hpp"

namespace tilewright::schedule {

inline constexpr int kMostExactOperations = 16;
inline constexpr int kMostExactTiles = 32;

struct ExactPoint {
    std::int64_t latency_cycles = 0;
    std::int64_t traffic_bytes = 0;

    bool operator==(const ExactPoint&) const = default;
};

/// Every pair of latency and traffic that no schedule beats in both, by latency. Requires one DMA channel and a graph
/// within the limits above; takes milliseconds for eight operations and grows exponentially.
std::vector<ExactPoint> exact_front(const OperationGraph& graph);

}  // namespace tilewright::schedule
