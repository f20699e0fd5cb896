#include "run/floor.hpp"

#include <algorithm>
#include <limits>

#include "mapper/optimal/bounds/compulsory_bound.hpp"
#include "mapper/optimal/geometry/assignments.hpp"
#include "run/search.hpp"

namespace tilewright {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// The fewest bits of a word, partial or final; nothing: a memory's words may have more or fewer.
std::optional<std::int64_t> fewest_bits(const Tensor& tensor, std::int64_t partial, const Architecture& machine) {
    if (partial == 0) return tensor.bits;
    if (tensor.bits > 0) return std::min(tensor.bits, partial);
    const bool wider = std::ranges::all_of(machine.memories, [&](const Memory& m) { return m.word_bits <= partial; });
    return wider ? std::optional<std::int64_t>(0) : std::nullopt;
}

/// A plain einsum with the same mappings, none dearer: without scales, and with partial sums as narrow as final ones.
/// Nothing under sparsity: dense words cost more.
std::optional<Einsum> least_words(const LayerProblem& layer) {
    if (layer.zeros) return std::nullopt;
    Einsum einsum = layer.einsum;
    for (std::size_t t = 0; t < layer.words.partial_bits.size(); ++t) {
        const auto bits = fewest_bits(einsum.tensors[t], layer.words.partial_bits[t], layer.architecture);
        if (!bits) return std::nullopt;
        einsum.tensors[t].bits = *bits;
    }
    return einsum;
}

}  // namespace

std::optional<LeastCost> floor_of(const LayerProblem& layer, const MapOptions& options) {
    constexpr std::int64_t kMostChoices = 20'000;  // some hundredths of a second
    if (options.uneven || options.factors == FactorRule::padded) return std::nullopt;
    const std::optional<Einsum> einsum = least_words(layer);
    if (!einsum) return std::nullopt;
    const Mapspace mapspace = mapspace_of(layer, options);
    if (!mapspace.problem().empty()) return std::nullopt;
    const lean::Setup setup(*einsum, layer.architecture);
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
