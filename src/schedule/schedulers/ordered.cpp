#include "schedule/schedulers/ordered.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "base/required.hpp"
#include "schedule/schedulers/list_scheduler.hpp"
#include "schedule/scratchpad/workspace.hpp"

namespace tilewright::schedule {
namespace {

// Steps through a plan's loops, one set at a time. A turning loop alternates direction.
class Steps {
   public:
    Steps(const OperationGraph& graph, const OrderedPlan& plan) : plan_(plan) {
        for (std::size_t i = 0; i < kDims; ++i) {
            const std::int64_t count = graph.counts[plan.order[i]];
            extent_[i] = plan.order[i] == plan.spread ? ceil_div(count, plan.cores) : count;
        }
    }

    PerDim at() const {
        PerDim at;
        for (std::size_t i = 0; i < kDims; ++i)
            at[plan_.order[i]] = backwards_[i] ? extent_[i] - 1 - index_[i] : index_[i];
        return at;
    }

    bool next() {
        std::size_t loop = kDims;
        while (loop > 0 && ++index_[loop - 1] == extent_[loop - 1]) {
            --loop;
            index_[loop] = 0;
            if (plan_.snake && plan_.order[loop] != Dim::in_c) backwards_[loop] = !backwards_[loop];
        }
        return loop > 0;
    }

   private:
    const OrderedPlan& plan_;
    std::array<std::int64_t, kDims> extent_{};
    std::array<std::int64_t, kDims> index_{};
    std::array<bool, kDims> backwards_{};
};

class InOrder {
   public:
    InOrder(const OperationGraph& graph, const std::vector<std::vector<int>>& sets, LatencyRule rule, double patience)
        : graph_(graph),
          sets_(sets),
          patience_(patience),
          workspace_(graph, rule),
          uses_(graph.tiles.size()),
          next_(graph.tiles.size(), 0),
          loss_(graph.tiles.size(), 0.0) {
        for (std::size_t i = 0; i < sets.size(); ++i)
            for (const int operation : sets[i])
                for (const int tile : graph.operation(operation).tiles) uses_[tile].push_back(i);
    }

    std::optional<Schedule> run(const Cutoff* cutoff) {
        for (now_ = 0; now_ < sets_.size(); ++now_) {
            update_losses();
            run_set(sets_[now_]);
            if (cutoff != nullptr && workspace_.timeline().hopeless(*cutoff)) return std::nullopt;
        }
        return workspace_.take();
    }

   private:
    // Cost of a tile's eviction, spread over the time its room serves others; its successor waits for its last use.
    void update_losses() {
        for (const MemoryMap::Segment& one : workspace_.segments()) {
            if (one.tile < 0) continue;
            const auto t = static_cast<std::size_t>(one.tile);
            while (next_[t] < uses_[t].size() && uses_[t][next_[t]] < now_) ++next_[t];
            const Tile& tile = graph_.tile(one.tile);
            const double cost = static_cast<double>(tile.load_bytes * (tile.operand == Operand::output ? 2 : 1));
            const auto age = static_cast<double>(now_ - uses_[t][next_[t] - (next_[t] > 0 ? 1 : 0)]);
            const double wait = age > 0.0 ? patience_ / (age * age) : 0.0;
            const bool over = next_[t] == uses_[t].size();
            loss_[t] = over ? 0.0 : cost * (1.0 / static_cast<double>(uses_[t][next_[t]] - now_ + 1) + wait);
        }
    }

    void run_set(const std::vector<int>& set) {
        const std::optional<MemoryPlan> together = workspace_.plan(set, MemoryPolicy::least_loss, loss_);
        if (together) return workspace_.run(set, *together);
        for (const int operation : set) {
            const std::optional<MemoryPlan> alone = workspace_.plan({operation}, MemoryPolicy::least_loss, loss_);
            workspace_.run({operation}, alone ? *alone : workspace_.plan_alone(operation));
        }
    }

    const OperationGraph& graph_;
    const std::vector<std::vector<int>>& sets_;
    const double patience_;
    Workspace workspace_;
    std::vector<std::vector<std::size_t>> uses_;  ///< by tile, its sets
    std::vector<std::size_t> next_;               ///< of those, the first not yet finished
    std::vector<double> loss_;
    std::size_t now_ = 0;
};

}  // namespace

std::string to_text(const OrderedPlan& plan) {
    std::string text = "order";
    for (const Dim dim : plan.order) {
        text += std::string(" ") + kDimNames[static_cast<std::size_t>(dim)];
        if (dim == plan.spread) text += "*" + std::to_string(plan.cores);
    }
    return text + (plan.snake ? ", turning" : "") +
           (plan.patience > 0.0 ? ", patience " + std::to_string(plan.patience).substr(0, 4) : "");
}

std::vector<std::vector<int>> ordered_sets(const OperationGraph& graph, const OrderedPlan& plan) {
    std::vector<std::vector<int>> sets;
    Steps steps(graph, plan);
    do {
        PerDim at = steps.at();
        const std::int64_t first = at[plan.spread] * plan.cores;
        std::vector<int>& set = sets.emplace_back();
        for (std::int64_t i = first; i < std::min(first + plan.cores, graph.counts[plan.spread]); ++i) {
            at[plan.spread] = i;
            set.push_back(graph.operation_at(at));
        }
    } while (steps.next());
    return sets;
}

std::vector<OrderedPlan> ordered_plans(const OperationGraph& graph, LatencyRule rule) {
    std::vector<OrderedPlan> plans;
    for (const std::array<Dim, kDims>& order : data_flows(graph))
        for (const Dim spread : order) {
            const bool useful = spread != Dim::in_c && graph.counts[spread] > 1;
            if (!useful && spread != order.back()) continue;
            const std::int64_t cores = std::min(graph.problem.machine.cores, graph.counts[spread]);
            for (const bool snake : {false, true})
                for (const double patience : {0.0, 0.1, 1.0})
                    if (patience == 0.0 || rule == LatencyRule::overlap)
                        plans.push_back({order, cores, spread, snake, patience});
        }
    return plans;
}

Schedule run_in_order(const OperationGraph& graph, const std::vector<std::vector<int>>& sets, LatencyRule rule,
                      double patience) {
    return required(InOrder(graph, sets, rule, patience).run(nullptr));
}

std::optional<Schedule> run_in_order(const OperationGraph& graph, const std::vector<std::vector<int>>& sets,
                                     LatencyRule rule, double patience, const Cutoff& cutoff) {
    return InOrder(graph, sets, rule, patience).run(&cutoff);
}

}  // namespace tilewright::schedule
