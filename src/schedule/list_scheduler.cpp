#include "schedule/list_scheduler.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "base/required.hpp"
#include "schedule/data_flow.hpp"
#include "schedule/workspace.hpp"

namespace tilewright::schedule {
namespace {

class ListScheduler {
   public:
    ListScheduler(const OperationGraph& graph, const ListOptions& options)
        : graph_(graph), options_(options), workspace_(graph, options.rule), number_(graph.operations.size()) {
        const std::vector<int> order = numbered(graph, options.data_flow);
        for (std::size_t i = 0; i < order.size(); ++i)
            number_[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
        for (const int operation : order)
            if (graph.operation(operation).step == 0) ready_.push_back(operation);
    }

    std::optional<Schedule> run(const Cutoff* cutoff) {
        while (!ready_.empty()) {
            const Choice choice = choose();
            workspace_.run(choice.set, choice.plan);
            wake_up(choice.set);
            if (cutoff != nullptr && workspace_.timeline().hopeless(*cutoff)) return std::nullopt;
        }
        return workspace_.take();
    }

   private:
    struct Choice {
        std::vector<int> set;
        MemoryPlan plan;
        SetRank rank;
    };

    // The largest sets that find room; alone, every operation does.
    Choice choose() {
        const auto most =
            std::min({static_cast<int>(graph_.problem.machine.cores), kLargestSet, static_cast<int>(ready_.size())});
        for (int size = most; size > 0; --size)
            if (std::optional<Choice> best = best_set(size)) return std::move(*best);
        return {{ready_.front()}, workspace_.plan_alone(ready_.front()), {}};
    }

    std::optional<Choice> best_set(int size) {
        std::vector<std::vector<int>> sets = distinct_sets(graph_, ready_, workspace_.resident(), size);
        std::vector<std::pair<std::int64_t, std::size_t>> order;  // most reuse first: it bounds the benefit
        order.reserve(sets.size());
        for (std::size_t i = 0; i < sets.size(); ++i) order.emplace_back(-reused_bytes(sets[i]), i);
        std::sort(order.begin(), order.end());
        std::optional<Choice> best;
        for (const auto& [reused, index] : order) {
            if (best && options_.priority == SetPriority::memory_benefit &&
                static_cast<double>(-reused) < best->rank.benefit_bytes)
                break;
            std::optional<MemoryPlan> plan = workspace_.plan(sets[index], options_.memory);
            if (!plan) continue;
            const SetRank rank{benefit(-reused, *plan), plan->used_bytes, plan->overhead_cycles};
            if (best && !better(rank, *plan, *best)) continue;
            best = Choice{std::move(sets[index]), std::move(*plan), rank};
        }
        return best;
    }

    bool better(const SetRank& rank, const MemoryPlan& plan, const Choice& best) const {
        if (options_.priority == SetPriority::min_transfer && plan.moved_bytes != best.plan.moved_bytes)
            return plan.moved_bytes < best.plan.moved_bytes;
        if (options_.priority == SetPriority::min_spill && plan.spilled_bytes != best.plan.spilled_bytes)
            return plan.spilled_bytes < best.plan.spilled_bytes;
        return goes_before(rank, best.rank);
    }

    // Once for every operation that finds its tile there.
    std::int64_t reused_bytes(const std::vector<int>& set) const {
        std::int64_t bytes = 0;
        for (const int operation : set)
            for (const int tile : graph_.operation(operation).tiles)
                if (workspace_.resident()[static_cast<std::size_t>(tile)] != 0) bytes += graph_.tile(tile).block_bytes;
        return bytes;
    }

    double benefit(std::int64_t reused, const MemoryPlan& plan) const {
        double spilled = 0.0;
        for (const int tile : plan.spilled)
            spilled +=
                static_cast<double>(graph_.tile(tile).block_bytes) /
                static_cast<double>(most_references(graph_.problem.machine.cores, workspace_.remaining_uses(tile)));
        return static_cast<double>(reused) - spilled;
    }

    // The next of each chain becomes ready.
    void wake_up(const std::vector<int>& set) {
        for (const int operation : set) {
            ready_.erase(std::find(ready_.begin(), ready_.end(), operation));
            if (graph_.finishes(operation)) continue;
            const int next = operation + 1;
            const auto place = std::lower_bound(ready_.begin(), ready_.end(), next, [&](int a, int b) {
                return number_[static_cast<std::size_t>(a)] < number_[static_cast<std::size_t>(b)];
            });
            ready_.insert(place, next);
        }
    }

    const OperationGraph& graph_;
    const ListOptions options_;
    Workspace workspace_;
    std::vector<int> number_;
    std::vector<int> ready_;  ///< by number
};

}  // namespace

bool goes_before(const SetRank& a, const SetRank& b) {
    if (a.benefit_bytes != b.benefit_bytes) return a.benefit_bytes > b.benefit_bytes;
    if (a.used_bytes != b.used_bytes) return a.used_bytes > b.used_bytes;
    return a.overhead_cycles < b.overhead_cycles;
}

std::int64_t most_references(std::int64_t cores, int remaining_uses) {
    return std::clamp<std::int64_t>(remaining_uses, 1, cores);
}

std::vector<std::array<Dim, kDims>> data_flows(const OperationGraph& graph) {
    std::vector<Dim> still;
    std::vector<Dim> moving;
    for (const Dim dim : {Dim::out_w, Dim::out_h, Dim::in_c, Dim::out_c})
        (graph.counts[dim] > 1 ? moving : still).push_back(dim);
    std::vector<std::array<Dim, kDims>> flows;
    do {
        std::array<Dim, kDims> flow{};
        std::copy(moving.begin(), moving.end(), std::copy(still.begin(), still.end(), flow.begin()));
        flows.push_back(flow);
    } while (std::next_permutation(moving.begin(), moving.end()));
    return flows;
}

std::vector<int> numbered(const OperationGraph& graph, const std::array<Dim, kDims>& data_flow) {
    std::vector<int> order;
    order.reserve(graph.operations.size());
    PerDim at;
    at.value = {};
    while (true) {
        order.push_back(graph.operation_at(at));
        std::size_t loop = kDims;
        while (loop > 0 && ++at[data_flow[loop - 1]] == graph.counts[data_flow[loop - 1]]) at[data_flow[--loop]] = 0;
        if (loop == 0) return order;
    }
}

Schedule list_schedule(const OperationGraph& graph, const ListOptions& options) {
    return required(ListScheduler(graph, options).run(nullptr));
}

std::optional<Schedule> list_schedule(const OperationGraph& graph, const ListOptions& options, const Cutoff& cutoff) {
    return ListScheduler(graph, options).run(&cutoff);
}

}  // namespace tilewright::schedule
