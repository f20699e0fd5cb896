#include "schedule/search.hpp"

#include <algorithm>

#include "schedule/ordered.hpp"
#include "schedule/regions.hpp"
#include "schedule/tilings.hpp"

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

class LayerSearch {
   public:
    LayerSearch(const Machine& machine, const ConvLayer& layer, const SearchOptions& options, const StopSource& stop)
        : machine_(machine),
          layer_(layer),
          options_(options),
          stop_(stop),
          tilings_(tilings(machine, layer, options.rule, options.objective)) {}

    LayerAnswer run() {
        answer_.bounds = bounds_over(tilings_);
        StaticOutcome outcome = best_static(machine_, layer_, tilings_, options_.rule, options_.objective,
                                            options_.spread, stop_, answer_.static_effort);
        if (!outcome.best) return std::move(answer_);
        const Problem problem{machine_, layer_, outcome.best->plan.tiling};
        answer_.baseline = Found{"static: " + to_text(outcome.best->plan), problem, std::move(outcome.best->schedule),
                                 outcome.best->score, bounds_of(problem, options_.rule)};
        answer_.best = answer_.baseline;
        for (const PromisingTiling& one : outcome.promising) {
            if (answer_.dynamic_effort.tilings == options_.tilings || over()) break;
            try_tiling(tilings_[one.index]);
        }
        return std::move(answer_);
    }

   private:
    bool over() const { return stop_.requested() || passed(options_.deadline); }

    void try_tiling(const BoundedTiling& one) {
        const Problem problem{machine_, layer_, one.tiling};
        if (one.bound > answer_.best->score.value || operation_count(problem) > options_.most_operations) return;
        ++answer_.dynamic_effort.tilings;
        const OperationGraph graph = make_graph(problem);
        try_list(graph, one.bounds);
        if (options_.as_published) return;
        try_regions(graph, one.bounds);
        try_free(graph, one.bounds);
    }

    // Data flows only break ties: all of them for the paper's algorithm, one otherwise.
    void try_list(const OperationGraph& graph, const Bounds& bounds) {
        double worst = 0.0;
        double best = 0.0;
        for (const std::array<Dim, kDims>& flow : data_flows(graph)) {
            if (over()) return;
            Schedule schedule = list_schedule(graph, {options_.rule, options_.priority, options_.memory, flow});
            const double value = score_of(options_.objective, schedule).value;
            worst = std::max(worst, value);
            best = best == 0.0 ? value : std::min(best, value);
            std::string how = "list:";
            for (const Dim dim : flow) how += std::string(" ") + kDimNames[static_cast<std::size_t>(dim)];
            const Found found = make_found(how, graph, std::move(schedule), bounds);
            if (!answer_.published || found.score < answer_.published->score) answer_.published = found;
            keep(found);
            if (!options_.as_published) return;
        }
        if (answer_.published->problem == graph.problem) answer_.dynamic_effort.data_flow_ratio = worst / best;
    }

    // The static plans that promise most, with replacement by future uses, and with loops that turn round.
    void try_regions(const OperationGraph& graph, const Bounds& bounds) {
        constexpr std::size_t kPlans = 12;
        for (const StaticPlan& plan :
             promising_plans(graph, bounds, options_.rule, options_.objective, options_.spread, kPlans))
            for (const bool turning : {false, true})
                for (const Replacement replacement : {Replacement::farthest, Replacement::patient}) {
                    if (replacement == Replacement::patient && options_.rule == LatencyRule::sum) continue;
                    if (over()) return;
                    const OrderedPlan order{plan.order, plan.cores, plan.spread, turning, 0.0};
                    Schedule schedule =
                        run_in_regions(graph, ordered_sets(graph, order), plan.slots, options_.rule, replacement);
                    const std::string how = std::string("foresight: ") + (turning ? "turning " : "") +
                                            (replacement == Replacement::patient ? "patient " : "") + to_text(plan);
                    keep(make_found(how, graph, std::move(schedule), bounds));
                }
    }

    // Loop orders on a scratchpad without regions; only for graphs on which all of them are quick.
    void try_free(const OperationGraph& graph, const Bounds& bounds) {
        constexpr int kMostOperations = 256;
        if (graph.operation_count() > kMostOperations) return;
        for (const OrderedPlan& plan : ordered_plans(graph, options_.rule)) {
            if (over()) return;
            keep(make_found(to_text(plan), graph,
                            run_in_order(graph, ordered_sets(graph, plan), options_.rule, plan.patience), bounds));
        }
    }

    Found make_found(std::string how, const OperationGraph& graph, Schedule schedule, const Bounds& bounds) {
        ++answer_.dynamic_effort.schedules;
        const Score score = score_of(options_.objective, schedule);
        return {std::move(how), graph.problem, std::move(schedule), score, bounds};
    }

    void keep(const Found& found) {
        if (found.score < answer_.best->score) answer_.best = found;
    }

    const Machine& machine_;
    const ConvLayer& layer_;
    const SearchOptions& options_;
    const StopSource& stop_;
    const std::vector<BoundedTiling> tilings_;
    LayerAnswer answer_;
};

}  // namespace

LayerBounds layer_bounds(const Machine& machine, const ConvLayer& layer, LatencyRule rule, const Objective& objective) {
    return bounds_over(tilings(machine, layer, rule, objective));
}

LayerAnswer search_layer(const Machine& machine, const ConvLayer& layer, const SearchOptions& options,
                         const StopSource& stop) {
    return LayerSearch(machine, layer, options, stop).run();
}

}  // namespace tilewright::schedule
