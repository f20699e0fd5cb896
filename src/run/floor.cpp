#include "run/floor.hpp"

#include <algorithm>
#include <limits>

#include "mapper/optimal/bounds/compulsory_bound.hpp"
#include "mapper/optimal/geometry/assignments.hpp"
#include "run/search.hpp"

namespace tilewright {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

}  // namespace

std::optional<LeastCost> floor_of(const LayerProblem& layer, const MapOptions& options) {
    constexpr std::int64_t kMostChoices = 20'000;  // some hundredths of a second
    if (options.uneven || options.factors == FactorRule::padded) return std::nullopt;
    const Mapspace mapspace = mapspace_of(layer, options);
    if (!mapspace.problem().empty()) return std::nullopt;
    const lean::Setup setup(layer.einsum, layer.architecture);
    LeastCost least{kUnknown, kUnknown, kUnknown};
    std::int64_t choices = 0;
    const bool all = optimal::visit_assignments(mapspace, [&](const TilingPoint& assignment) {
        const optimal::CompulsoryBound bound = optimal::compulsory_bound(setup, assignment);
        least.energy_pj = std::min(least.energy_pj, bound.energy_pj);
        least.cycles = std::min(least.cycles, bound.cycles);
        least.objective = std::min(least.objective, options.objective.score(bound.energy_pj, bound.cycles).value);
        return ++choices < kMostChoices;
    });
    if (!all || choices == 0) return std::nullopt;
    return least;
}

std::optional<NetworkFloor> floor_of(const NetworkProblem& problem, const MapOptions& options) {
    NetworkFloor floor;
    for (const ShapeProblem& shape : problem.shapes) {
        const std::optional<LeastCost> layer = floor_of(shape.layer, options);
        if (!layer) return std::nullopt;
        const auto repeats = static_cast<double>(shape.repeats);
        floor.energy_pj += repeats * layer->energy_pj;
        floor.cycles += repeats * layer->cycles;
        floor.operations += repeats * static_cast<double>(operation_count(shape.layer.einsum));
    }
    return floor;
}

}  // namespace tilewright
