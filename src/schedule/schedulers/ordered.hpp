// Schedules in loop order with a free scratchpad: the sets of a loop nest, but any tile may lie anywhere, and who
// leaves is decided by when it is needed next (Belady), weighted by what it costs to bring it back.
//
// Beyond Flexer: with the order known, future uses are known, and a tile that does not fit any more need not push out
// all of its kind, as it does in a region used round and round.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "schedule/scratchpad/timeline.hpp"

namespace tilewright::schedule {

struct OrderedPlan {
    std::array<Dim, kDims> order{Dim::out_w, Dim::out_h, Dim::in_c, Dim::out_c};  ///< outermost first
    std::int64_t cores = 1;                                                       ///< that share the loop `spread`
    Dim spread = Dim::out_c;
    bool snake = false;     ///< every loop but that over input channels turns round each time it begins again
    double patience = 0.0;  ///< how much it counts against a spill that the tile was used a short time ago

    bool operator==(const OrderedPlan&) const = default;
};

/// "order ow oh ic oc*4, turning, patience 0.10"
std::string to_text(const OrderedPlan& plan);

std::vector<std::vector<int>> ordered_sets(const OperationGraph& graph, const OrderedPlan& plan);

/// All orders of loops with more than one iteration, spread over the cores in every way, turning or not, with more or
/// less patience.
std::vector<OrderedPlan> ordered_plans(const OperationGraph& graph, LatencyRule rule);

/// Runs these sets in this order; each may hold any operations whose chains have come so far. A set that finds no room
/// is run one operation at a time.
Schedule run_in_order(const OperationGraph& graph, const std::vector<std::vector<int>>& sets, LatencyRule rule,
                      double patience);

/// The same; nothing as soon as the schedule cannot be as good as the cutoff asks.
std::optional<Schedule> run_in_order(const OperationGraph& graph, const std::vector<std::vector<int>>& sets,
                                     LatencyRule rule, double patience, const Cutoff& cutoff);

}  // namespace tilewright::schedule
