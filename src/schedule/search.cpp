#include "schedule/search.hpp"

#include <algorithm>

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

Found found_static(const Machine& machine, const ConvLayer& layer, StaticBest best) {
    const Problem problem{machine, layer, best.plan.tiling};
    const Bounds bounds = bounds_of(problem, best.schedule.rule);
    return {"static: " + to_text(best.plan), problem, std::move(best.schedule), best.score, bounds};
}

}  // namespace

LayerAnswer search_layer(const Machine& machine, const ConvLayer& layer, const SearchOptions& options,
                         const StopSource& stop) {
    LayerAnswer answer;
    const std::vector<BoundedTiling> all = tilings(machine, layer, options.rule, options.objective);
    answer.bounds = bounds_over(all);
    std::optional<StaticBest> best =
        best_static(machine, layer, all, options.rule, options.objective, options.spread, stop, answer.static_effort);
    if (!best) return answer;
    answer.baseline = found_static(machine, layer, std::move(*best));
    answer.best = answer.baseline;
    return answer;
}

}  // namespace tilewright::schedule
