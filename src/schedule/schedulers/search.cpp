#include "schedule/schedulers/search.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <set>

#include "base/required.hpp"
#include "schedule/problem/bounds.hpp"
#include "schedule/schedulers/beam.hpp"
#include "schedule/schedulers/ordered.hpp"
#include "schedule/schedulers/regions.hpp"

namespace tilewright::schedule {
namespace {

LayerBounds bounds_over(const std::vector<BoundedTiling>& tilings) {
    LayerBounds bounds;
    bool first = true;
    for (const BoundedTiling& one : tilings) {
        const auto keep_least = [first](auto& least, auto value) { least = first ? value : std::min(least, value); };
        keep_least(bounds.latency_cycles, one.bounds.latency_cycles);
        keep_least(bounds.traffic_bytes, one.bounds.traffic_bytes);
        keep_least(bounds.value, one.bound);
        first = false;
    }
    return bounds;
}

// The dynamic schedulers' result on one tiling.
struct TilingAnswer {
    std::optional<Found> best;       ///< better than the previously known
    std::optional<Found> published;  ///< same, of the list scheduler's
    double data_flow_ratio = 1.0;
    std::int64_t schedules = 0;
};

// The dynamic schedulers on one tiling. They abandon provable non-improvements.
class TilingSearch {
   public:
    TilingSearch(const OperationGraph& graph, const Bounds& bounds, const SearchOptions& options,
                 const StopSource& stop, const LayerAnswer& known)
        : graph_(graph),
          bounds_(bounds),
          reuse_(graph.problem),
          options_(options),
          stop_(stop),
          best_(required(known.best).score) {
        if (known.published) published_ = known.published->score;
    }

    TilingAnswer run() {
        try_list();
        if (options_.as_published) return std::move(answer_);
        try_exact_placement();
        try_regions();
        try_free();
        try_beam();
        return std::move(answer_);
    }

   private:
    bool over() const { return stop_.requested() || passed(options_.deadline); }
    Cutoff cutoff(double value) const { return {options_.objective, value, bounds_.traffic_bytes, &reuse_}; }

    // Data flows only break ties: all of them for the paper's algorithm, one otherwise.
    void try_list() {
        double worst = 0.0;
        double best = 0.0;
        for (const std::array<Dim, kDims>& flow : data_flows(graph_)) {
            if (over()) return;
            const ListOptions list{options_.rule, options_.priority, options_.memory, flow};
            ++answer_.schedules;
            std::optional<Schedule> schedule = options_.as_published || !published_
                                                   ? list_schedule(graph_, list)
                                                   : list_schedule(graph_, list, cutoff(published_->value));
            if (!schedule) return;
            const double value = score_of(options_.objective, *schedule).value;
            worst = std::max(worst, value);
            best = best == 0.0 ? value : std::min(best, value);
            Found found = make_found(flow_text(flow), std::move(*schedule));
            if (found.score < best_) keep(Found(found));
            if (!published_ || found.score < *published_) {
                published_ = found.score;
                answer_.published = std::move(found);
            }
            if (!options_.as_published) return;
        }
        answer_.data_flow_ratio = worst / best;
    }

    // The list scheduler with all placements of a set, where block-by-block placement fails.
    void try_exact_placement() {
        if (over()) return;
        ++answer_.schedules;
        std::optional<Schedule> schedule =
            list_schedule(graph_, {options_.rule, options_.priority, MemoryPolicy::exact, data_flows(graph_).front()},
                          cutoff(best_.value));
        if (schedule) keep(make_found("list, exact placement", std::move(*schedule)));
    }

    // The most promising static plans, with replacement by future uses, and with turning loops.
    void try_regions() {
        constexpr std::size_t kPlans = 12;
        for (const StaticPlan& plan :
             promising_plans(graph_, bounds_, options_.rule, options_.objective, {options_.spread}, kPlans))
            for (const bool turning : {false, true}) {
                const OrderedPlan order{plan.order, plan.cores, plan.spread, turning, 0.0};
                const std::vector<std::vector<int>> sets = ordered_sets(graph_, order);
                for (const Replacement replacement : {Replacement::farthest, Replacement::patient}) {
                    if (replacement == Replacement::patient && options_.rule == LatencyRule::sum) continue;
                    if (over()) return;
                    ++answer_.schedules;
                    std::optional<Schedule> schedule =
                        run_in_regions(graph_, sets, plan.slots, options_.rule, replacement, cutoff(best_.value));
                    if (!schedule) continue;
                    const char* manner = replacement == Replacement::patient ? "patient " : "";
                    keep(make_found(std::string("foresight: ") + (turning ? "turning " : "") + manner + to_text(plan),
                                    std::move(*schedule)));
                }
            }
    }

    // Loop orders on a scratchpad without regions; only for graphs small enough for all.
    void try_free() {
        constexpr int kMostFree = 256;
        if (graph_.operation_count() > kMostFree) return;
        for (const OrderedPlan& plan : ordered_plans(graph_, options_.rule)) {
            if (over()) return;
            ++answer_.schedules;
            std::optional<Schedule> schedule =
                run_in_order(graph_, ordered_sets(graph_, plan), options_.rule, plan.patience, cutoff(best_.value));
            if (schedule) keep(make_found(to_text(plan), std::move(*schedule)));
        }
    }

    // Sets with look-ahead; partial schedules are copied, so on small graphs only.
    void try_beam() {
        constexpr int kMostLookedAhead = 128;
        if (options_.beam == 0 || graph_.operation_count() > kMostLookedAhead || over()) return;
        ++answer_.schedules;
        std::optional<Schedule> schedule =
            beam_schedule(graph_, {options_.rule, options_.beam, 3}, cutoff(best_.value));
        if (schedule) keep(make_found("look-ahead: " + std::to_string(options_.beam) + " wide", std::move(*schedule)));
    }

    Found make_found(std::string how, Schedule schedule) const {
        const Score score = score_of(options_.objective, schedule);
        return {std::move(how), graph_.problem, std::move(schedule), score, bounds_};
    }

    void keep(Found found) {
        if (!(found.score < best_)) return;
        best_ = found.score;
        answer_.best = std::move(found);
    }

    const OperationGraph& graph_;
    const Bounds& bounds_;
    const ReuseBound reuse_;
    const SearchOptions& options_;
    const StopSource& stop_;
    Score best_;
    std::optional<Score> published_;
    TilingAnswer answer_;
};

class LayerSearch {
   public:
    LayerSearch(const MultiNpu& machine, const ConvLayer& layer, const SearchOptions& options, const StopSource& stop)
        : machine_(machine),
          layer_(layer),
          options_(options),
          stop_(stop),
          tilings_(tilings(machine, layer, options.rule, options.objective)) {}

    LayerAnswer run() {
        answer_.bounds = bounds_over(tilings_);
        StaticOutcome outcome = best_static(machine_, layer_, tilings_, options_.rule, options_.objective,
                                            {options_.spread}, stop_, answer_.static_effort, options_.deadline);
        if (!outcome.best) return std::move(answer_);
        answer_.best = found_of(std::move(*outcome.best));
        take_baseline();
        if (options_.scheduler != Scheduler::ours) run_flexer();
        if (options_.scheduler != Scheduler::flexer) {
            try_tilings(ranked(outcome.promising));
            if (options_.scheduler == Scheduler::ours) beat_flexer();
            count_left();
        }
        return std::move(answer_);
    }

   private:
    bool over() const { return stop_.requested() || passed(options_.deadline); }

    Found found_of(StaticBest one) const {
        const Problem problem{machine_, layer_, one.plan.tiling};
        return {"static: " + to_text(one.plan), problem, std::move(one.schedule), one.score,
                bounds_of(problem, options_.rule)};
    }

    void take_baseline() {
        answer_.baseline = answer_.best;
        if (options_.baseline == Rung::exhaustive) return;
        StaticEffort effort;
        StaticOutcome rung = baseline_of(options_.baseline, machine_, layer_, tilings_, options_.rule,
                                         options_.objective, options_.spread, stop_, effort, options_.deadline);
        if (rung.best) answer_.baseline = found_of(std::move(*rung.best));
    }

    // Algorithm 1's improvements over the answer: ours is never worse, unless stopped. Beside kept tensors a layer is
    // searched many times; there only if its tilings and data flows are few.
    void beat_flexer() {
        if (options_.tilings == 0 || options_.as_published || over()) return;
        if (layer_.kept != Kept{} && !is_soon_through()) return;
        FlexerOptions flexer_options{options_.rule, options_.objective, options_.priority, options_.memory,
                                     true,          options_.deadline};
        flexer_options.better_than = required(answer_.best).score;
        FlexerAnswer answer = flexer(machine_, layer_, tilings_, flexer_options, stop_);
        answer_.flexer_effort = answer.effort;
        if (answer.best) take_listed(*std::move(answer.best));
    }

    bool is_soon_through() const {
        constexpr std::int64_t kMostOperations = 4'000'000;  // over all tilings and data flows
        std::int64_t operations = 0;
        for (const BoundedTiling& one : tilings_) {
            if (!(one.bound < required(answer_.best).score.value)) continue;
            operations += operation_count(Problem{machine_, layer_, one.tiling}) * kMostDataFlows;
            if (operations > kMostOperations) return false;
        }
        return true;
    }

    // Alone it is the answer, whatever the static baseline; ours take the better of the two from there.
    void run_flexer() {
        const FlexerOptions flexer_options{options_.rule, options_.objective, options_.priority, options_.memory,
                                           true,          options_.deadline};
        FlexerAnswer answer = flexer(machine_, layer_, tilings_, flexer_options, stop_);
        answer_.flexer_effort = answer.effort;
        if (!answer.best) return;
        answer_.published = answer.best;
        if (options_.scheduler == Scheduler::flexer || answer.best->score < required(answer_.best).score)
            answer_.best = std::move(answer.best);
    }

    // First tilings with a list schedule close to the incumbent, then those with the most promising static plans.
    // Probes go by the bound, while their operations are few; their results count.
    std::vector<std::size_t> ranked(const std::vector<PromisingTiling>& promising) {
        constexpr std::int64_t kMostProbed = 2'000'000;
        constexpr std::size_t kWave = 16;
        std::vector<std::pair<double, std::size_t>> near;
        std::int64_t operations = 0;
        std::size_t next = 0;
        while (next < tilings_.size() && operations <= kMostProbed && options_.tilings > 0 && !over()) {
            std::vector<std::size_t> wave;
            for (; next < tilings_.size() && wave.size() < kWave; ++next) {
                if (!promises(tilings_[next])) continue;
                operations += operation_count(Problem{machine_, layer_, tilings_[next].tiling});
                wave.push_back(next);
            }
            std::vector<std::optional<Found>> found(wave.size());
            tbb::parallel_for(std::size_t{0}, wave.size(), [&](std::size_t i) { found[i] = probe(tilings_[wave[i]]); });
            for (std::size_t i = 0; i < wave.size(); ++i)
                if (found[i]) {
                    near.emplace_back(found[i]->score.value, wave[i]);
                    take_listed(*std::move(found[i]));
                }
        }
        std::sort(near.begin(), near.end());
        std::vector<std::size_t> order;
        std::set<std::size_t> listed;
        for (const auto& [value, index] : near) order.push_back(index);
        listed.insert(order.begin(), order.end());
        for (const PromisingTiling& one : promising)
            if (!listed.contains(one.index)) order.push_back(one.index);
        return order;
    }

    // The list scheduler with the first data flow; empty unless close to the incumbent.
    std::optional<Found> probe(const BoundedTiling& one) const {
        constexpr double kNear = 1.02;
        const OperationGraph graph = make_graph({machine_, layer_, one.tiling});
        const ReuseBound reuse(graph.problem);
        const std::array<Dim, kDims> flow = data_flows(graph).front();
        const Cutoff cutoff{options_.objective, required(answer_.best).score.value * kNear, one.bounds.traffic_bytes,
                            &reuse};
        std::optional<Schedule> schedule =
            list_schedule(graph, {options_.rule, options_.priority, options_.memory, flow}, cutoff);
        if (!schedule) return std::nullopt;
        const Score score = score_of(options_.objective, *schedule);
        return Found{flow_text(flow), graph.problem, *std::move(schedule), score, one.bounds};
    }

    void take_listed(Found found) {
        ++answer_.dynamic_effort.schedules;
        if (found.score < required(answer_.best).score) answer_.best = found;
        if (!answer_.published || found.score < answer_.published->score) answer_.published = std::move(found);
    }

    // In waves: tilings of one wave know the earlier waves' results, and nothing of each other.
    void try_tilings(const std::vector<std::size_t>& ranking) {
        constexpr std::size_t kLargestWave = 4;
        std::size_t next = 0;
        for (std::size_t size = 1; !over(); size = std::min(size * 2, kLargestWave)) {
            std::vector<std::size_t> wave;
            const auto left = static_cast<std::size_t>(options_.tilings - answer_.dynamic_effort.tilings);
            for (; next < ranking.size() && wave.size() < std::min(size, left); ++next)
                if (promises(tilings_[ranking[next]])) wave.push_back(ranking[next]);
            if (wave.empty()) return;
            std::vector<TilingAnswer> answers(wave.size());
            tbb::parallel_for(std::size_t{0}, wave.size(),
                              [&](std::size_t i) { answers[i] = try_tiling(tilings_[wave[i]]); });
            visited_.insert(wave.begin(), wave.end());
            for (TilingAnswer& answer : answers) merge(answer);
        }
    }

    // Tilings not ruled out by the bound and not visited by all schedulers.
    void count_left() {
        DynamicEffort& effort = answer_.dynamic_effort;
        for (std::size_t i = 0; i < tilings_.size(); ++i) {
            if (visited_.contains(i) || !(tilings_[i].bound < required(answer_.best).score.value)) continue;
            effort.least_left =
                effort.tilings_left == 0 ? tilings_[i].bound : std::min(effort.least_left, tilings_[i].bound);
            ++effort.tilings_left;
        }
    }

    bool promises(const BoundedTiling& one) const {
        return one.bound <= required(answer_.best).score.value &&
               operation_count(Problem{machine_, layer_, one.tiling}) <= options_.most_operations;
    }

    TilingAnswer try_tiling(const BoundedTiling& one) const {
        const OperationGraph graph = make_graph({machine_, layer_, one.tiling});
        return TilingSearch(graph, one.bounds, options_, stop_, answer_).run();
    }

    void merge(TilingAnswer& one) {
        ++answer_.dynamic_effort.tilings;
        answer_.dynamic_effort.schedules += one.schedules;
        if (one.best && one.best->score < required(answer_.best).score) answer_.best = std::move(one.best);
        if (!one.published || (answer_.published && !(one.published->score < answer_.published->score))) return;
        answer_.published = std::move(one.published);
        answer_.dynamic_effort.data_flow_ratio = one.data_flow_ratio;
    }

    const MultiNpu& machine_;
    const ConvLayer& layer_;
    const SearchOptions& options_;
    const StopSource& stop_;
    const std::vector<BoundedTiling> tilings_;
    std::set<std::size_t> visited_;  ///< tilings visited by the dynamic schedulers
    LayerAnswer answer_;
};

}  // namespace

LayerBounds layer_bounds(const MultiNpu& machine, const ConvLayer& layer, LatencyRule rule,
                         const Objective& objective) {
    return bounds_over(tilings(machine, layer, rule, objective));
}

std::vector<TilingResult> every_tiling(const MultiNpu& machine, const ConvLayer& layer, const SearchOptions& options,
                                       const StopSource& stop) {
    const std::vector<BoundedTiling> all = tilings(machine, layer, options.rule, options.objective);
    std::vector<TilingResult> points(all.size());
    tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) {
        const Problem problem{machine, layer, all[i].tiling};
        TilingResult& point = points[i];
        point = {all[i].tiling, all[i].bounds, operation_count(problem), std::nullopt, std::nullopt};
        if (point.operations > options.most_operations || stop.requested()) return;
        StaticEffort effort;
        const StaticOutcome fixed = best_static(machine, layer, {all[i]}, options.rule, options.objective,
                                                {options.spread}, stop, effort, options.deadline);
        if (fixed.best) point.fixed = fixed.best->score;
        const OperationGraph graph = make_graph(problem);
        for (const std::array<Dim, kDims>& flow : data_flows(graph)) {
            if (stop.requested()) return;
            const Score score = score_of(options.objective,
                                         list_schedule(graph, {options.rule, options.priority, options.memory, flow}));
            if (!point.listed || score < *point.listed) point.listed = score;
            if (!options.as_published) return;
        }
    });
    return points;
}

LayerAnswer search_layer(const MultiNpu& machine, const ConvLayer& layer, const SearchOptions& options,
                         const StopSource& stop) {
    return LayerSearch(machine, layer, options, stop).run();
}

}  // namespace tilewright::schedule
