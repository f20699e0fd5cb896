#include "mapper/network_mapper.hpp"

#include <algorithm>

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// An equal share of the time that is left for the layers that are left.
Budget share_of(const Budget& budget, Clock::time_point begin, std::size_t layers_left) {
    Budget share = budget;
    if (budget.time)
        share.time = std::chrono::duration<double>(std::max(0.0, budget.time->count() - seconds_since(begin)) /
                                                   static_cast<double>(layers_left));
    return share;
}

void add_to_totals(const MappedLayer& mapped, NetworkMapping& mapping) {
    if (!mapped.result.best) {
        mapping.complete = false;
        return;
    }
    const double repeats = static_cast<double>(mapped.layer.repeats);
    mapping.energy_pj += mapped.result.cost.energy_pj * repeats;
    mapping.cycles += static_cast<double>(mapped.result.cost.cycles) * repeats;
}

}  // namespace

NetworkMapping map_network(const Network& network, const Architecture& architecture,
                           const ConstraintsOf& constraints_of, const Mapper& mapper, const Objective& objective,
                           const Budget& budget, const NetworkProgressCallback& progress) {
    const auto begin = Clock::now();
    NetworkMapping mapping;
    const std::vector<DistinctLayer> layers = distinct_layers(network);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        MappedLayer mapped{layers[i], {}, {}};
        const auto report = [&](const Progress* search, const SearchResult* result) {
            if (progress) progress({i, layers.size(), &mapped.layer, search, result});
        };
        if (budget.stop != nullptr && budget.stop->requested()) {
            mapped.result.stopped = StopReason::interrupted;
        } else {
            const Mapspace mapspace(mapped.layer.einsum, architecture, constraints_of(mapped.layer.einsum));
            const LeanEvaluator evaluator(mapped.layer.einsum, architecture);
            mapped.mapspace_problem = mapspace.problem();
            mapped.result = mapper.search(mapspace, evaluator, objective, share_of(budget, begin, layers.size() - i),
                                          [&](const Progress& search) { report(&search, nullptr); });
        }
        report(nullptr, &mapped.result);
        add_to_totals(mapped, mapping);
        mapping.layers.push_back(std::move(mapped));
    }
    mapping.seconds = seconds_since(begin);
    return mapping;
}

}  // namespace tilewright
