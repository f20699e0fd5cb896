#include "schedule/schedulers/static_order.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <set>

#include "base/numbers/checked.hpp"
#include "schedule/schedulers/regions.hpp"

namespace tilewright::schedule {
namespace {

bool relevant(Operand operand, Dim dim) {
    switch (operand) {
        case Operand::input: return dim != Dim::out_c;
        case Operand::weight: return dim == Dim::in_c || dim == Dim::out_c;
        case Operand::output: return dim != Dim::in_c;
    }
    return false;
}

// The nest with the spread loop split: over groups of iterations in place, within a group innermost.
struct Loop {
    Dim dim = Dim::out_w;
    std::int64_t extent = 1;
    bool group = false;  ///< the innermost one, over the cores
};

std::vector<Loop> nest(const OperationGraph& graph, const StaticPlan& plan) {
    const std::int64_t cores = plan.cores;
    std::vector<Loop> loops;
    for (const Dim dim : plan.order) {
        const std::int64_t count = graph.counts[dim];
        loops.push_back({dim, dim == plan.spread ? ceil_div(count, cores) : count, false});
    }
    loops.push_back({plan.spread, std::min(cores, graph.counts[plan.spread]), true});
    return loops;
}

// The sets of a plan in sequence.
class LoopSets : public SetSource {
   public:
    LoopSets(const OperationGraph& graph, const StaticPlan& plan)
        : graph_(graph), plan_(plan), loops_(nest(graph, plan)) {}

    bool next(std::vector<int>& set) override {
        set.clear();
        if (over_) return false;
        PerDim at;
        for (std::size_t i = 0; i < kDims; ++i) at[loops_[i].dim] = index_[i];
        const std::int64_t first = at[plan_.spread] * plan_.cores;
        for (std::int64_t i = first; i < std::min(first + plan_.cores, graph_.counts[plan_.spread]); ++i) {
            at[plan_.spread] = i;
            set.push_back(graph_.operation_at(at));
        }
        std::size_t loop = kDims;
        while (loop > 0 && ++index_[loop - 1] == loops_[loop - 1].extent) index_[--loop] = 0;
        over_ = loop == 0;
        return true;
    }

   private:
    const OperationGraph& graph_;
    const StaticPlan& plan_;
    const std::vector<Loop> loops_;
    std::array<std::int64_t, kDims> index_{};  // of the loops of the plan's order
    bool over_ = false;
};

// Tiles touched by the loops from `depth` inwards.
std::int64_t working_set(const OperationGraph& graph, const std::vector<Loop>& loops, std::size_t depth,
                         Operand operand) {
    std::int64_t tiles = 1;
    for (std::size_t i = depth; i < loops.size(); ++i) {
        if (!relevant(operand, loops[i].dim)) continue;
        // Both parts of the spread loop together are the whole loop.
        const bool whole = !loops[i].group && loops[i].dim == loops.back().dim;
        if (loops[i].group && std::any_of(loops.begin() + static_cast<std::ptrdiff_t>(depth), loops.end() - 1,
                                          [&](const Loop& loop) { return loop.dim == loops[i].dim; }))
            continue;
        tiles *= whole ? graph.counts[loops[i].dim] : loops[i].extent;
    }
    return tiles;
}

// Loads per tile of an operand for a region holding the working set from `depth` inwards: once per iteration of an
// outer loop revisiting replaced tiles.
std::int64_t visits(const std::vector<Loop>& loops, std::size_t depth, Operand operand) {
    std::int64_t times = 1;
    bool replaced = false;
    for (std::size_t i = depth; i-- > 0;) {
        if (relevant(operand, loops[i].dim))
            replaced = replaced || loops[i].extent > 1;
        else if (replaced)
            times *= loops[i].extent;
    }
    return times;
}

// The outermost depth with a working set within the slots.
std::size_t depth_held(const OperationGraph& graph, const std::vector<Loop>& loops, Operand operand,
                       std::int64_t slots) {
    std::size_t depth = loops.size();
    while (depth > 0 && working_set(graph, loops, depth - 1, operand) <= slots) --depth;
    return depth;
}

// Upper bound of the tile bytes used by full sets. The spread loop's last, smaller set needs fewer slots and may keep
// more; its tiles are the smallest.
std::int64_t bytes_of_full_sets(const OperationGraph& graph, const StaticPlan& plan, Operand operand) {
    const std::int64_t bytes = graph.load_bytes[static_cast<std::size_t>(operand)];
    const std::int64_t count = graph.counts[plan.spread];
    const std::int64_t rest = count % std::min(plan.cores, count);
    return rest == 0 || !relevant(operand, plan.spread) ? bytes : bytes / count * (count - rest);
}

// Orders of non-trivial loops; trivial ones stand outside, without effect.
std::vector<std::array<Dim, kDims>> orders(const PerDim& counts) {
    std::vector<Dim> still;
    std::vector<Dim> moving;
    for (int d = 0; d < kDims; ++d) {
        const Dim dim = static_cast<Dim>(d);
        (counts[dim] > 1 ? moving : still).push_back(dim);
    }
    std::vector<std::array<Dim, kDims>> result;
    do {
        std::array<Dim, kDims> order{};
        std::copy(moving.begin(), moving.end(), std::copy(still.begin(), still.end(), order.begin()));
        result.push_back(order);
    } while (std::next_permutation(moving.begin(), moving.end()));
    return result;
}

std::vector<Dim> spreads(const PerDim& counts, const std::array<Dim, kDims>& order, Spread spread) {
    std::vector<Dim> result{order.back()};
    if (spread == Spread::innermost) return result;
    for (const Dim dim : order)
        if (dim != order.back() && dim != Dim::in_c && counts[dim] > 1) result.push_back(dim);
    return result;
}

// Critical region sizes. A revisited working set is kept in part from a size of all but one set of it, and whole at
// full size. Room for one more set lets loads run ahead.
std::vector<std::int64_t> region_sizes(const OperationGraph& graph, const std::vector<Loop>& loops, Operand operand,
                                       LatencyRule rule) {
    if (largest_block(graph.problem, operand) == 0) return {0};
    const auto o = static_cast<std::size_t>(operand);
    const std::int64_t all = graph.first[o + 1] - graph.first[o];
    const std::int64_t set = working_set(graph, loops, loops.size() - 1, operand);
    std::set<std::int64_t> sizes;
    for (std::size_t depth = 0; depth < loops.size(); ++depth) {
        const std::int64_t held = working_set(graph, loops, depth, operand);
        for (std::int64_t size = std::max(held - set + 1, set); size <= held; ++size) sizes.insert(size);
        if (rule == LatencyRule::overlap) sizes.insert(std::min(held + set, all));
    }
    return {sizes.begin(), sizes.end()};
}

// Gives the remaining bytes to the regions, the last first; none exceeds its number of tiles.
bool fill(const OperationGraph& graph, const std::array<std::int64_t, kOperands>& bytes,
          std::array<std::int64_t, kOperands>& slots) {
    std::int64_t left = own_bytes(graph.problem.machine, graph.problem.layer);
    for (std::size_t i = 0; i < kOperands; ++i) left -= slots[i] * bytes[i];
    if (left < 0) return false;
    for (std::size_t i = kOperands; i-- > 0;) {
        if (bytes[i] == 0) continue;
        const std::int64_t all = graph.first[i + 1] - graph.first[i];
        const std::int64_t more = std::min(left / bytes[i], all - slots[i]);
        slots[i] += more;
        left -= more * bytes[i];
    }
    return true;
}

void add_plans(const OperationGraph& graph, StaticPlan plan, LatencyRule rule, bool one_size,
               std::vector<StaticPlan>& plans) {
    const std::vector<Loop> loops = nest(graph, plan);
    std::array<std::int64_t, kOperands> bytes{};
    for (std::size_t i = 0; i < kOperands; ++i) bytes[i] = largest_block(graph.problem, static_cast<Operand>(i));
    const std::int64_t least = bytes[2] == 0 ? 0 : working_set(graph, loops, loops.size() - 1, Operand::output);
    const std::vector<std::int64_t> weights = region_sizes(graph, loops, Operand::weight, rule);
    std::set<std::array<std::int64_t, kOperands>> seen;
    for (const std::int64_t in : region_sizes(graph, loops, Operand::input, rule))
        for (const std::int64_t weight : weights) {
            plan.slots = {in, weight, least};
            if (!fill(graph, bytes, plan.slots)) break;
            if (seen.insert(plan.slots).second) plans.push_back(plan);
            if (one_size) return;
        }
}

struct Candidate {
    double bound = 0.0;
    std::size_t index = 0;
    auto operator<=>(const Candidate&) const = default;
};

std::vector<Candidate> by_bound(const OperationGraph& graph, const std::vector<StaticPlan>& plans, const Bounds& bounds,
                                LatencyRule rule, const Objective& objective) {
    std::vector<Candidate> candidates;
    candidates.reserve(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i)
        candidates.push_back({bound_of_plan(graph.problem, bounds, rule, objective,
                                            least_static_traffic(graph, plans[i]), plans[i].cores),
                              i});
    std::sort(candidates.begin(), candidates.end());
    return candidates;
}

// Result of one tiling.
struct Trial {
    std::optional<double> promise;   ///< minimum bound of its plans
    std::optional<StaticBest> best;  ///< better than the previously known
    std::int64_t plans = 0;
    std::int64_t simulated = 0;
};

class StaticSearch {
   public:
    StaticSearch(const MultiNpu& machine, const ConvLayer& layer, LatencyRule rule, const Objective& objective,
                 const PlanSpace& space, const StopSource& stop, StaticEffort& effort, const Deadline& deadline)
        : machine_(machine),
          layer_(layer),
          rule_(rule),
          objective_(objective),
          space_(space),
          stop_(stop),
          effort_(effort),
          deadline_(deadline) {}

    // Tilings in waves, best bound first. Those of a wave know the earlier waves' best and nothing of each other: the
    // answer is independent of the threads.
    StaticOutcome run(const std::vector<BoundedTiling>& all) {
        constexpr std::size_t kLargestWave = 16;
        effort_.tilings = static_cast<std::int64_t>(all.size());
        std::size_t begin = 0;
        for (std::size_t wave = 1; begin < all.size(); wave = std::min(wave * 2, kLargestWave)) {
            std::size_t end = begin;
            while (end < std::min(begin + wave, all.size()) && !(best_ && all[end].bound >= best_->score.value)) ++end;
            if (end == begin || over()) break;  // all that follow are ruled out, too
            std::vector<Trial> trials(end - begin);
            tbb::parallel_for(begin, end, [&](std::size_t i) { trials[i - begin] = try_tiling(all[i]); });
            for (Trial& trial : trials) merge(trial, begin++);
        }
        std::sort(promising_.begin(), promising_.end());
        return {std::move(best_), std::move(promising_)};
    }

   private:
    bool over() const { return stop_.requested() || (best_ && passed(deadline_)); }

    void merge(Trial& trial, std::size_t index) {
        ++effort_.tilings_tried;
        effort_.plans += trial.plans;
        effort_.plans_simulated += trial.simulated;
        if (trial.promise) promising_.push_back({*trial.promise, index});
        if (trial.best && !(best_ && best_->score <= trial.best->score)) best_ = std::move(trial.best);
    }

    // Fewer cores take too long on operations alone to beat the incumbent.
    std::int64_t least_cores(const Problem& problem, const Bounds& bounds) const {
        std::int64_t cores = 1;
        while (best_ && cores < problem.machine.cores &&
               bound_of_plan(problem, bounds, rule_, objective_, bounds.traffic_bytes, cores) > best_->score.value)
            ++cores;
        return cores;
    }

    Trial try_tiling(const BoundedTiling& one) const {
        const Problem problem{machine_, layer_, one.tiling};
        const OperationGraph tiles = make_tiles(problem);
        const std::vector<StaticPlan> plans = static_plans(tiles, rule_, space_, least_cores(problem, one.bounds));
        const std::vector<Candidate> candidates = by_bound(tiles, plans, one.bounds, rule_, objective_);
        Trial trial;
        trial.plans = static_cast<std::int64_t>(plans.size());
        if (!candidates.empty()) trial.promise = candidates.front().bound;
        std::optional<Score> known;
        if (best_) known = best_->score;
        std::optional<OperationGraph> graph;  // only for simulation
        for (const Candidate& candidate : candidates) {
            if (known && (candidate.bound >= known->value || stop_.requested() || passed(deadline_))) break;
            if (!graph) graph = make_graph(problem);
            ++trial.simulated;
            std::optional<Schedule> schedule = simulate(*graph, plans[candidate.index], known);
            if (!schedule) continue;
            const Score score = score_of(objective_, *schedule);
            if (known && !(score < *known)) continue;
            known = score;
            trial.best = StaticBest{plans[candidate.index], std::move(*schedule), score};
        }
        return trial;
    }

    std::optional<Schedule> simulate(const OperationGraph& graph, const StaticPlan& plan,
                                     const std::optional<Score>& known) const {
        if (!known) return run_static(graph, plan, rule_);
        const Cutoff cutoff{objective_, known->value, least_static_traffic(graph, plan)};
        LoopSets sets(graph, plan);
        return run_in_regions(graph, sets, plan.slots, rule_, cutoff);
    }

    const MultiNpu& machine_;
    const ConvLayer& layer_;
    const LatencyRule rule_;
    const Objective& objective_;
    const PlanSpace space_;
    const StopSource& stop_;
    StaticEffort& effort_;
    const Deadline& deadline_;
    std::optional<StaticBest> best_;
    std::vector<PromisingTiling> promising_;
};

}  // namespace

std::string to_text(const StaticPlan& plan) {
    std::string text;
    for (const Dim dim : plan.order) {
        text += kDimNames[static_cast<std::size_t>(dim)];
        text += dim == plan.spread ? "*" + std::to_string(plan.cores) + " " : " ";
    }
    text.back() = ',';
    return text + " slots " + std::to_string(plan.slots[0]) + " + " + std::to_string(plan.slots[1]) + " + " +
           std::to_string(plan.slots[2]);
}

std::int64_t tiles_per_set(const OperationGraph& graph, const StaticPlan& plan, Operand operand) {
    const std::vector<Loop> loops = nest(graph, plan);
    return working_set(graph, loops, loops.size() - 1, operand);
}

std::vector<std::vector<int>> static_sets(const OperationGraph& graph, const StaticPlan& plan) {
    std::vector<std::vector<int>> sets;
    LoopSets source(graph, plan);
    while (source.next(sets.emplace_back())) {
    }
    sets.pop_back();
    return sets;
}

Schedule run_static(const OperationGraph& graph, const StaticPlan& plan, LatencyRule rule) {
    return run_in_regions(graph, static_sets(graph, plan), plan.slots, rule, Replacement::oldest);
}

std::int64_t least_static_traffic(const OperationGraph& graph, const StaticPlan& plan) {
    const std::vector<Loop> loops = nest(graph, plan);
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < kOperands; ++i) {
        const auto operand = static_cast<Operand>(i);
        const std::int64_t set = working_set(graph, loops, loops.size() - 1, operand);
        const std::int64_t times = visits(loops, depth_held(graph, loops, operand, plan.slots[i] + set - 1), operand);
        // An output is created, not loaded, and stored once; each later visit spills it first and reloads it. After the
        // last one, final outputs leave, and others need not.
        const bool output = operand == Operand::output;
        const std::int64_t often = output ? 2 * std::max<std::int64_t>(times - 2, 0) : times;
        const std::int64_t once = output ? 0 : 1;
        const std::int64_t full = bytes_of_full_sets(graph, plan, operand);
        bytes = checked_add(bytes, checked_add(checked_mul(often, full), once * (graph.load_bytes[i] - full)));
        bytes = checked_add(bytes, graph.store_bytes[i]);
    }
    return bytes;
}

std::vector<StaticPlan> static_plans(const OperationGraph& graph, LatencyRule rule, const PlanSpace& space,
                                     std::int64_t least_cores) {
    std::vector<StaticPlan> plans;
    std::vector<std::array<Dim, kDims>> nests = orders(graph.counts);
    if (space.one_order) nests = {StaticPlan().order};
    for (const std::array<Dim, kDims>& order : nests)
        for (const Dim dim : spreads(graph.counts, order, space.spread)) {
            const std::int64_t most = std::min(graph.problem.machine.cores, graph.counts[dim]);
            for (std::int64_t cores = most; cores >= (space.one_size ? most : least_cores); --cores)
                add_plans(graph, {graph.problem.tiling, order, cores, dim, {}}, rule, space.one_size, plans);
        }
    return plans;
}

std::vector<StaticPlan> promising_plans(const OperationGraph& graph, const Bounds& bounds, LatencyRule rule,
                                        const Objective& objective, const PlanSpace& space, std::size_t most) {
    const std::vector<StaticPlan> plans = static_plans(graph, rule, space);
    std::vector<StaticPlan> best;
    for (const Candidate& one : by_bound(graph, plans, bounds, rule, objective)) {
        if (best.size() == most) break;
        best.push_back(plans[one.index]);
    }
    return best;
}

StaticOutcome best_static(const MultiNpu& machine, const ConvLayer& layer, const std::vector<BoundedTiling>& tilings,
                          LatencyRule rule, const Objective& objective, const PlanSpace& space, const StopSource& stop,
                          StaticEffort& effort, const Deadline& deadline) {
    return StaticSearch(machine, layer, rule, objective, space, stop, effort, deadline).run(tilings);
}

StaticOutcome baseline_of(Rung rung, const MultiNpu& machine, const ConvLayer& layer,
                          const std::vector<BoundedTiling>& tilings, LatencyRule rule, const Objective& objective,
                          Spread spread, const StopSource& stop, StaticEffort& effort, const Deadline& deadline) {
    if (rung == Rung::exhaustive || tilings.empty())
        return best_static(machine, layer, tilings, rule, objective, {spread}, stop, effort, deadline);
    const PlanSpace space{Spread::innermost, true, rung == Rung::first};
    if (rung == Rung::regions)
        return best_static(machine, layer, tilings, rule, objective, space, stop, effort, deadline);
    // A tiling without room for a full set's regions does not fit.
    std::vector<BoundedTiling> descending = tilings;
    std::sort(descending.begin(), descending.end(),
              [](const BoundedTiling& a, const BoundedTiling& b) { return a.tiling.value > b.tiling.value; });
    for (const BoundedTiling& one : descending) {
        const OperationGraph tiles = make_tiles({machine, layer, one.tiling});
        if (!static_plans(tiles, rule, {Spread::innermost, true, true}).empty())
            return best_static(machine, layer, {one}, rule, objective, space, stop, effort, deadline);
    }
    return {};
}

}  // namespace tilewright::schedule
