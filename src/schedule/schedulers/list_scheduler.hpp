// Flexer's out-of-order list scheduler (Algorithm 1, sections 3 and 4): the highest-priority set of ready operations
// runs next.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "schedule/scratchpad/memory_map.hpp"
#include "schedule/scratchpad/timeline.hpp"

namespace tilewright::schedule {

/// Priority of sets (section 4.3, and Table 2).
enum class SetPriority { memory_benefit, min_transfer, min_spill };

struct ListOptions {
    LatencyRule rule = LatencyRule::overlap;
    SetPriority priority = SetPriority::memory_benefit;
    MemoryPolicy memory = MemoryPolicy::least_fragmentation;
    /// The data flow: loops, outermost first, numbering the operations. Numbers decide ties only.
    std::array<Dim, kDims> data_flow{Dim::out_w, Dim::out_h, Dim::in_c, Dim::out_c};
};

/// Rank of a set under SetPriority::memory_benefit.
struct SetRank {
    double benefit_bytes = 0.0;        ///< reused - spilled / min(cores, remaining uses)
    std::int64_t used_bytes = 0;       ///< of the scratchpad: more is better
    std::int64_t overhead_cycles = 0;  ///< of transfers: less is better

    bool operator==(const SetRank&) const = default;
};

bool goes_before(const SetRank& a, const SetRank& b);

/// min(cores, remaining uses), at least 1: possible sharing of a spilled tile's next use.
std::int64_t most_references(std::int64_t cores, int remaining_uses);

/// Number of distinct loop orders for numbering.
inline constexpr std::int64_t kMostDataFlows = 24;
std::vector<std::array<Dim, kDims>> data_flows(const OperationGraph& graph);

/// Operations in numbering order.
std::vector<int> numbered(const OperationGraph& graph, const std::array<Dim, kDims>& data_flow);

Schedule list_schedule(const OperationGraph& graph, const ListOptions& options);

/// The same; empty once the cutoff is out of reach.
std::optional<Schedule> list_schedule(const OperationGraph& graph, const ListOptions& options, const Cutoff& cutoff);

}  // namespace tilewright::schedule
