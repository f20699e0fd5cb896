// Schedules in loop order with a free scratchpad: the sets of a loop nest, with tiles anywhere and evictions by next
// use (Belady), weighted by the cost of reloading.
//
// Beyond Flexer: a known order gives future uses, and an excess tile need not evict all of its kind, as in a cyclic
// region.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "schedule/scratchpad/timeline.hpp"

namespace tilewright::schedule {

struct OrderedPlan {
    std::array<Dim, kDims> order{Dim::out_w, Dim::out_h, Dim::in_c, Dim::out_c};  ///< outermost first
    std::int64_t cores = 1;                                                       ///< sharing the loop `spread`
    Dim spread = Dim::out_c;
    bool snake = false;     ///< all loops but the one over input channels alternate direction
    double patience = 0.0;  ///< weight of recent use against a spill

    bool operator==(const OrderedPlan&) const = default;
};

/// "order ow oh ic oc*4, turning, patience 0.10"
std::string to_text(const OrderedPlan& plan);

std::vector<std::vector<int>> ordered_sets(const OperationGraph& graph, const OrderedPlan& plan);

/// All orders of non-trivial loops, with every spread over the cores, turning or not, with several patiences.
std::vector<OrderedPlan> ordered_plans(const OperationGraph& graph, LatencyRule rule);

/// Runs these sets in this order; a set may hold any operations ready by then. An unplaceable set is run one operation
/// at a time.
Schedule run_in_order(const OperationGraph& graph, const std::vector<std::vector<int>>& sets, LatencyRule rule,
                      double patience);

/// The same; empty once the cutoff is out of reach.
std::optional<Schedule> run_in_order(const OperationGraph& graph, const std::vector<std::vector<int>>& sets,
                                     LatencyRule rule, double patience, const Cutoff& cutoff);

}  // namespace tilewright::schedule
