// Optimal schedules of tiny graphs by exhaustion: the judge of bounds and heuristics.
//
// Under the rule `sum` with one DMA channel, in sets separated by barriers. Tiles only have to fit by size:
// fragmentation is ignored, so the front bounds all real schedules, and one reaching it is optimal.
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

/// The Pareto front of latency and traffic, by latency. Requires one DMA channel and a graph within the limits above;
/// milliseconds for eight operations, exponential growth.
std::vector<ExactPoint> exact_front(const OperationGraph& graph);

}  // namespace tilewright::schedule
