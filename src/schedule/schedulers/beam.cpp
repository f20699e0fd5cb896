#include "schedule/schedulers/beam.hpp"

#include <algorithm>
#include <memory>

#include "schedule/problem/data_flow.hpp"
#include "schedule/schedulers/list_scheduler.hpp"
#include "schedule/scratchpad/workspace.hpp"

namespace tilewright::schedule {
namespace {

struct Partial {
    Partial(const OperationGraph& graph, LatencyRule rule) : workspace(graph, rule) {
        for (int id = 0; id < graph.operation_count(); ++id)
            if (graph.operation(id).step == 0) ready.push_back(id);
    }

    Workspace workspace;
    std::vector<int> ready;  ///< ascending
    double value = 0.0;      ///< estimate of the objective
};
using PartialPointer = std::unique_ptr<Partial>;

struct RankedSet {
    std::vector<int> set;
    MemoryPlan plan;
    SetRank rank;
};

class Beam {
   public:
    Beam(const OperationGraph& graph, const BeamOptions& options, const Cutoff& cutoff)
        : graph_(graph), options_(options), cutoff_(cutoff) {}

    std::optional<Schedule> run() {
        std::vector<PartialPointer> beam;
        beam.push_back(std::make_unique<Partial>(graph_, options_.rule));
        while (!beam.empty()) {
            std::vector<PartialPointer> next;
            for (PartialPointer& one : beam) extend(*one, next);
            keep_best(next);
            beam = std::move(next);
        }
        if (best_ == nullptr) return std::nullopt;
        return best_->workspace.take();
    }

   private:
    void extend(Partial& from, std::vector<PartialPointer>& next) {
        for (const RankedSet& one : best_sets(from)) {
            auto partial = std::make_unique<Partial>(from);
            partial->workspace.run(one.set, one.plan);
            wake_up(one.set, partial->ready);
            partial->value = estimate(partial->workspace);
            if (partial->value > limit()) continue;
            if (partial->ready.empty())
                finish(std::move(partial));
            else
                next.push_back(std::move(partial));
        }
    }

    double limit() const { return best_ == nullptr ? cutoff_.value : std::min(cutoff_.value, best_->value); }

    void finish(PartialPointer partial) {
        if (best_ == nullptr || partial->value < best_->value) best_ = std::move(partial);
    }

    // The largest placeable sets, highest priority first.
    std::vector<RankedSet> best_sets(Partial& from) const {
        const auto most = std::min(
            {static_cast<int>(graph_.problem.machine.cores), kLargestSet, static_cast<int>(from.ready.size())});
        for (int size = most; size > 0; --size) {
            std::vector<RankedSet> sets = sets_of(from, size);
            if (!sets.empty()) return sets;
        }
        const int first = from.ready.front();
        return {{{first}, from.workspace.plan_alone(first), {}}};
    }

    std::vector<RankedSet> sets_of(Partial& from, int size) const {
        std::vector<RankedSet> sets;
        for (std::vector<int>& set : distinct_sets(graph_, from.ready, from.workspace.resident(), size)) {
            std::optional<MemoryPlan> plan = from.workspace.plan(set, MemoryPolicy::exact);
            if (!plan) continue;
            const SetRank rank = rank_of(from.workspace, set, *plan);
            sets.push_back({std::move(set), std::move(*plan), rank});
        }
        std::stable_sort(sets.begin(), sets.end(),
                         [](const RankedSet& a, const RankedSet& b) { return goes_before(a.rank, b.rank); });
        if (sets.size() > static_cast<std::size_t>(options_.branch))
            sets.resize(static_cast<std::size_t>(options_.branch));
        return sets;
    }

    SetRank rank_of(const Workspace& workspace, const std::vector<int>& set, const MemoryPlan& plan) const {
        double benefit = 0.0;
        for (const int operation : set)
            for (const int tile : graph_.operation(operation).tiles)
                if (workspace.resident()[tile] != 0) benefit += static_cast<double>(graph_.tile(tile).block_bytes);
        for (const int tile : plan.spilled)
            benefit -=
                static_cast<double>(graph_.tile(tile).block_bytes) /
                static_cast<double>(most_references(graph_.problem.machine.cores, workspace.remaining_uses(tile)));
        return {benefit, plan.used_bytes, plan.overhead_cycles};
    }

    // The chain successors become ready: numbers one higher.
    void wake_up(const std::vector<int>& set, std::vector<int>& ready) const {
        for (const int operation : set) {
            const auto at = std::find(ready.begin(), ready.end(), operation);
            if (graph_.finishes(operation))
                ready.erase(at);
            else
                ++*at;
        }
    }

    double estimate(const Workspace& workspace) const {
        const std::int64_t traffic = workspace.timeline().least_traffic();
        return workspace.timeline().least_value(cutoff_.objective, std::max(traffic, cutoff_.least_traffic_bytes));
    }

    // Of schedules equal up to names the first stands for all.
    void keep_best(std::vector<PartialPointer>& next) const {
        std::stable_sort(next.begin(), next.end(),
                         [](const PartialPointer& a, const PartialPointer& b) { return a->value < b->value; });
        const auto same = [](const PartialPointer& a, const PartialPointer& b) {
            return a->value == b->value && a->workspace.timeline().latency() == b->workspace.timeline().latency() &&
                   a->ready == b->ready && a->workspace.resident() == b->workspace.resident();
        };
        next.erase(std::unique(next.begin(), next.end(), same), next.end());
        if (next.size() > static_cast<std::size_t>(options_.width))
            next.resize(static_cast<std::size_t>(options_.width));
    }

    const OperationGraph& graph_;
    const BeamOptions options_;
    const Cutoff& cutoff_;
    PartialPointer best_;  ///< among the complete ones
};

}  // namespace

std::optional<Schedule> beam_schedule(const OperationGraph& graph, const BeamOptions& options, const Cutoff& cutoff) {
    return Beam(graph, options, cutoff).run();
}

}  // namespace tilewright::schedule
