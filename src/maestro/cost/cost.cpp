#include "maestro/cost/cost.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "maestro/analysis/analysis.hpp"
#include "maestro/analysis/delivery.hpp"
#include "maestro/walk/walk.hpp"

namespace tilewright::dataflow {
namespace {

// About a second of walking.
constexpr std::int64_t kMostWalkedOperations = 200000;
constexpr std::int64_t kMostWalkedUnits = 256;

std::int64_t words_of(const CompleteLayer& problem, const Extents& tile, const std::vector<Axis>& axes, bool output) {
    std::int64_t words = axes.empty() ? 0 : 1;
    for (const Axis axis : axes) {
        std::int64_t length = tile[axis];
        if (const auto window = window_of(axis); output && problem.windows && window) {
            const std::int64_t reach = (tile[*window] - 1) * problem.dilation[*window] + 1;
            length = std::max<std::int64_t>((length - reach) / problem.stride[axis] + 1, 1);
        }
        words = checked_mul(words, length);
    }
    return words;
}

std::int64_t l2_bytes_of(const LevelCounts& top, const Hardware& hardware) {
    const std::int64_t operands = top.input.first + top.input.later + top.filter.first + top.filter.later;
    return 2 * (operands * hardware.operand_bytes + top.output_most * hardware.sum_bytes);
}

std::int64_t dense_operations(std::int64_t operations, const Densities& density) {
    return dense(operations, density.of_operations());
}

// Only non-zeros are sent, collected and multiplied; tiles and steps stay.
Counts without_zeros(Counts counts, const Densities& density) {
    const auto scale = [](Sent& sent, double share) {
        for (std::int64_t* words : {&sent.multicast, &sent.unicast, &sent.array, &sent.first, &sent.later})
            *words = dense(*words, share);
    };
    for (LevelCounts& level : counts.levels) {
        scale(level.input, density.input.density);
        scale(level.filter, density.filter.density);
        for (std::int64_t* words : {&level.output_each, &level.output_change, &level.output_most})
            *words = dense(*words, density.output.density);
    }
    counts.operations = dense_operations(counts.operations, density);
    return counts;
}

Accesses accesses_of(const CompleteLayer& problem, const Counts& counts) {
    const LevelCounts& top = counts.levels.front();
    const LevelCounts& units = counts.levels.back();
    const auto operations = static_cast<double>(counts.operations);
    const auto words = [&](const std::vector<Axis>& axes, bool output, double share) {
        return static_cast<double>(dense(words_of(problem, problem.extents, axes, output), share));
    };
    const double results = words(problem.output, true, problem.density.output.density);
    const double operands = words(problem.input, false, problem.density.input.density) +
                            words(problem.filter, false, problem.density.filter.density);
    Accesses accesses;
    accesses.operations = operations;
    accesses.l1_reads = {2.0 * operations, operations};
    accesses.l1_writes = {static_cast<double>(units.input.unicast + units.filter.unicast), operations};
    accesses.l2_reads = {static_cast<double>(top.input.multicast + top.filter.multicast), results};
    accesses.l2_writes = {operands, static_cast<double>(top.output_change)};
    accesses.dram_reads = {operands, 0.0};
    accesses.dram_writes = {0.0, results};
    return accesses;
}

// Counts with their origin, or the reason for none.
void count(const CompleteLayer& problem, const Hardware& hardware, Beyond beyond, LayerCost& cost) {
    cost.counts = analyze(problem, cost.levels, hardware);
    if (cost.counts || beyond == Beyond::refuse) return;
    if (operations_of(problem) <= kMostWalkedOperations && hardware.units <= kMostWalkedUnits) {
        cost.counts = walk(problem, cost.levels, hardware).counts;
        cost.counted_by = CountedBy::every_step;
        return;
    }
    cost.failures.push_back("closed forms do not cover it (" + not_covered(problem, cost.levels, hardware) +
                            "), and the layer is too large to visit every step");
}

}  // namespace

double energy_of(const Accesses& accesses, const AccessEnergy& energy) {
    return accesses.operations + energy.l1 * (accesses.l1_reads.words() + accesses.l1_writes.words()) +
           energy.l2 * (accesses.l2_reads.words() + accesses.l2_writes.words());
}

std::int64_t l1_bytes_of(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware) {
    const Level& innermost = levels.back();
    Extents tile;
    for (const Map& map : innermost.maps) tile[map.axis] = std::min(map.size, innermost.extents[map.axis]);
    const std::int64_t operands =
        words_of(problem, tile, problem.input, false) + words_of(problem, tile, problem.filter, false);
    return 2 * (operands * hardware.operand_bytes + words_of(problem, tile, problem.output, true) * hardware.sum_bytes);
}

LayerCost cost_of(const Layer& layer, const Dataflow& dataflow, const Parameters& parameters, const Hardware& hardware,
                  const AccessEnergy& energy, Beyond beyond) {
    LayerCost cost;
    const CompleteLayer problem = problem_of(layer);
    cost.operations = dense_operations(operations_of(problem), problem.density);
    LevelsResult made = levels_of(dataflow, parameters, request_for(problem, hardware.units));
    if (!made.ok()) {
        cost.failures.push_back(made.problem);
        return cost;
    }
    cost.levels = std::move(made.levels);
    cost.findings = findings(problem, cost.levels);
    count(problem, hardware, beyond, cost);
    if (!cost.counts) return cost;
    cost.l1_bytes = l1_bytes_of(problem, cost.levels, hardware);
    cost.l2_bytes = l2_bytes_of(cost.counts->levels.front(), hardware);
    cost.counts = without_zeros(std::move(*cost.counts), problem.density);
    cost.accesses = accesses_of(problem, *cost.counts);
    cost.energy_operations = energy_of(cost.accesses, energy);
    const double peak = static_cast<double>(hardware.units * hardware.vector_width);
    if (cost.counts->runtime_cycles > 0)
        cost.utilization =
            static_cast<double>(cost.counts->operations) / (static_cast<double>(cost.counts->runtime_cycles) * peak);
    return cost;
}

Dataflow fitted(const Dataflow& dataflow, const Layer& layer, const Parameters& parameters) {
    const Extents extents = complete_extents(layer);
    Dataflow fit{dataflow.name, {}};
    for (Directive directive : dataflow.directives) {
        if (directive.kind != DirectiveKind::cluster) {
            const std::int64_t extent = extents[directive.axis];
            if (extent == 0) continue;
            const SizeValue size = value_of(directive.size, extents, parameters);
            if (size.problem.empty() && size.value > extent) {
                directive.size = Size::number(extent);
                directive.offset = Size::number(extent);
            }
        }
        fit.directives.push_back(std::move(directive));
    }
    return fit;
}

}  // namespace tilewright::dataflow
