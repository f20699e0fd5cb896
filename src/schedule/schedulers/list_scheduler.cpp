#include "schedule/schedulers/list_scheduler.hpp"

#include <algorithm>
#include <cmath>

#include "base/required.hpp"
#include "schedule/schedulers/ready_sets.hpp"
#include "schedule/scratchpad/workspace.hpp"

namespace tilewright::schedule {
namespace {

class ListScheduler {
   public:
    ListScheduler(const OperationGraph& graph, const ListOptions& options)
        : graph_(graph),
          options_(options),
          workspace_(graph, options.rule),
          ready_(graph, options.data_flow, workspace_.resident()) {
        for (int operation = 0; operation < graph.operation_count(); ++operation)
            if (graph.operation(operation).step == 0) ready_.add(operation);
    }

    std::optional<Schedule> run(const Cutoff* cutoff) {
        for (int step = 0; ready_.count() > 0; ++step) {
            choose();
            workspace_.run(best_.set, best_.plan);
            for (const int tile : best_.plan.spilled) refresh(tile);
            for (const MemoryPlan::Placement& one : best_.plan.placed) refresh(one.tile);
            wake_up(best_.set);
            if (cutoff != nullptr && workspace_.timeline().hopeless(*cutoff, step % 4 == 0)) return std::nullopt;
        }
        return workspace_.take();
    }

   private:
    struct Choice {
        std::vector<int> set;
        MemoryPlan plan;
        SetRank rank;
    };
    struct Ordered {
        std::int64_t promise = 0;  ///< upper bound of the benefit of the set's plans, times cores
        std::int64_t used = 0;     ///< upper bound of the scratchpad's bytes in use
        std::int64_t reused = 0;
        std::size_t index = 0;
        bool operator<(const Ordered& other) const {
            if (promise != other.promise) return promise > other.promise;
            return used != other.used ? used > other.used : before(other);
        }
        /// Tie-break among equal ranks.
        bool before(const Ordered& other) const {
            return reused != other.reused ? reused > other.reused : index < other.index;
        }
    };

    // The largest placeable sets; a single operation always is.
    void choose() {
        const auto most = std::min({static_cast<int>(graph_.problem.machine.cores), kLargestSet, ready_.count()});
        for (int size = most; size > 0; --size)
            if (choose_among(size)) return;
        const int first = ready_.first();
        best_ = {{first}, workspace_.plan_alone(first), {}};
    }

    // Sets of large promise first, starting from the previous set's benefit. Any set's benefit then bounds the promise
    // of a better class.
    bool choose_among(int size) {
        const Room room{own_bytes(graph_.problem.machine, graph_.problem.layer), workspace_.free_bytes()};
        if (!ready_.may_fit(size, room.bytes)) return false;
        std::int64_t& before = before_[size];
        std::int64_t least = ReadySets::kAny;
        if (options_.priority == SetPriority::memory_benefit) least = std::min(before, ready_.most_reused(size));
        before = ReadySets::kAny;  // if nothing fits, nothing will after the next set, as a rule
        while (true) {
            const bool found = choose_from(ready_.distinct(size, least, room), room);
            if (found) before = static_cast<std::int64_t>(std::floor(best_.rank.benefit_bytes));
            if (found && best_.rank.benefit_bytes >= static_cast<double>(least)) return true;
            if (ready_.left_out() < ReadySets::kAny) return found;
            least = found ? static_cast<std::int64_t>(std::floor(best_.rank.benefit_bytes)) : lower(least, size);
        }
    }

    // Next bound after no set promising `least` is placeable.
    std::int64_t lower(std::int64_t least, int size) const {
        const std::int64_t step = std::max<std::int64_t>(ready_.most_reused(size) / size, 1);
        const std::int64_t next = std::min(ready_.left_out() / graph_.problem.machine.cores - 1, least - step);
        return next > -step ? next : ReadySets::kAny;
    }

    // The first placeable one of the highest rank.
    bool choose_from(const std::vector<ReadySet>& sets, const Room& room) {
        const bool by_benefit = options_.priority == SetPriority::memory_benefit;
        const std::int64_t cores = graph_.problem.machine.cores;
        order_.clear();
        for (std::size_t i = 0; i < sets.size(); ++i) {
            const ReadySet& set = sets[i];
            if (set.bytes > room.bytes) continue;
            const std::int64_t leaves = std::max<std::int64_t>(set.missing_bytes - room.free_bytes, 0);
            order_.push_back({by_benefit ? set.reused_bytes * cores - leaves : 0,
                              room.bytes - room.free_bytes + set.missing_bytes, set.reused_bytes, i});
        }
        const auto later = [](const Ordered& a, const Ordered& b) { return b < a; };
        std::make_heap(order_.begin(), order_.end(), later);
        std::optional<Ordered> chosen;
        while (!order_.empty()) {
            std::pop_heap(order_.begin(), order_.end(), later);
            const Ordered one = order_.back();
            order_.pop_back();
            if (chosen && by_benefit && falls_short(one.promise)) break;
            const ReadySet& set = sets[one.index];
            trial_.set.assign(set.operations.begin(), set.operations.begin() + set.size);
            if (chosen && by_benefit && one.used <= room.bytes && is_behind(one, *chosen)) continue;
            if (!workspace_.plan(trial_.set, options_.memory, {}, trial_.plan)) continue;
            trial_.rank = {benefit(one.reused, trial_.plan), trial_.plan.used_bytes, trial_.plan.overhead_cycles};
            if (chosen && !better(trial_, best_) && (better(best_, trial_) || !one.before(*chosen))) continue;
            std::swap(best_, trial_);
            chosen = one;
        }
        return chosen.has_value();
    }

    // Benefits are sums of quotients: half a byte exceeds their error.
    bool falls_short(std::int64_t promise) const {
        return static_cast<double>(promise) + 0.5 <
               best_.rank.benefit_bytes * static_cast<double>(graph_.problem.machine.cores);
    }

    // Whether the set of `trial_` ranks below the best by what it needs at least: without a spill, loads alone.
    // Requires room for it without spills.
    bool is_behind(const Ordered& one, const Ordered& best) {
        const auto reused = static_cast<double>(one.reused);
        if (reused != best_.rank.benefit_bytes) return reused < best_.rank.benefit_bytes;
        if (one.used != best_.rank.used_bytes) return one.used < best_.rank.used_bytes;
        const std::int64_t loads = workspace_.load_cycles(trial_.set);
        return loads != best_.rank.overhead_cycles ? loads > best_.rank.overhead_cycles : !one.before(best);
    }

    bool better(const Choice& one, const Choice& best) const {
        if (options_.priority == SetPriority::min_transfer && one.plan.moved_bytes != best.plan.moved_bytes)
            return one.plan.moved_bytes < best.plan.moved_bytes;
        if (options_.priority == SetPriority::min_spill && one.plan.spilled_bytes != best.plan.spilled_bytes)
            return one.plan.spilled_bytes < best.plan.spilled_bytes;
        return goes_before(one.rank, best.rank);
    }

    double benefit(std::int64_t reused, const MemoryPlan& plan) const {
        double spilled = 0.0;
        for (const int tile : plan.spilled)
            spilled +=
                static_cast<double>(graph_.tile(tile).block_bytes) /
                static_cast<double>(most_references(graph_.problem.machine.cores, workspace_.remaining_uses(tile)));
        return static_cast<double>(reused) - spilled;
    }

    void refresh(int tile) { ready_.set_resident(tile, workspace_.resident()[tile] != 0); }

    // The chain successors become ready.
    void wake_up(const std::vector<int>& set) {
        for (const int operation : set) {
            ready_.remove(operation);
            if (!graph_.finishes(operation)) ready_.add(operation + 1);
        }
        for (const int operation : set)
            for (const int tile : graph_.operation(operation).tiles) refresh(tile);
    }

    const OperationGraph& graph_;
    const ListOptions options_;
    Workspace workspace_;
    ReadySets ready_;
    Choice best_;
    Choice trial_;
    std::vector<Ordered> order_;
    std::array<std::int64_t, kLargestSet + 1> before_{};  ///< by size: the previous set's benefit; kAny: none fitted
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
