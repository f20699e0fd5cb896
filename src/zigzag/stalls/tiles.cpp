#include "zigzag/stalls/tiles.hpp"

#include <algorithm>
#include <numeric>

#include "base/numbers/checked.hpp"

namespace tilewright::stalls {
namespace {

using zigzag::Layer;
using zigzag::LevelLoops;
using zigzag::Operand;
using zigzag::OperandNest;
using zigzag::TemporalLoop;
using Spatial = std::vector<std::vector<zigzag::ParallelLoop>>;

Extents ones() {
    Extents extents;
    extents.fill(1);
    return extents;
}

void multiply(Extents& extents, const LevelLoops& loops) {
    for (const TemporalLoop& loop : loops) extents[loop.dimension] = checked_mul(extents[loop.dimension], loop.size);
}

bool moves(const Operand& operand, const TemporalLoop& loop) { return !operand.irrelevant.has(loop.dimension); }

/// A level's loops without the outermost ones satisfying `outer`.
template <class Outer>
LevelLoops without_outermost(const LevelLoops& loops, Outer outer) {
    LevelLoops rest = loops;
    while (!rest.empty() && outer(rest.back())) rest.pop_back();
    return rest;
}

Extents inside_of(const OperandNest& nest, std::size_t levels) {
    Extents inside = ones();
    for (std::size_t l = 0; l < levels; ++l) multiply(inside, nest.levels[l]);
    return inside;
}

Extents at_most(Extents extents, const Extents& most) {
    for (std::size_t d = 0; d < extents.size(); ++d) extents[d] = std::min(extents[d], most[d]);
    return extents;
}

/// The loops before the operand's first relevant one.
Extents stationary(const Operand& operand, const OperandNest& nest) {
    Extents inside = ones();
    for (const LevelLoops& loops : nest.levels)
        for (const TemporalLoop& loop : loops) {
            if (moves(operand, loop)) return inside;
            inside[loop.dimension] *= loop.size;
        }
    return inside;
}

}  // namespace

Extents executed_iterations(const Layer& layer, const zigzag::SpatialMapping& covering,
                            const zigzag::UnevenMapping& mapping) {
    Extents units = ones();
    for (const auto& level : covering.loops.front())
        for (const zigzag::ParallelLoop& loop : level)
            units[loop.dimension] = checked_mul(units[loop.dimension], static_cast<std::int64_t>(loop.size));
    Extents written = ones();
    for (const LevelLoops& loops : mapping.operands.front()) multiply(written, loops);
    Extents executed = ones();
    for (int d = 0; d < layer.dimension_count(); ++d)
        executed[d] = std::min(written[d], ceil_div(layer.dimensions[d].extent, units[d]));
    return executed;
}

std::int64_t product_of(const Layer& layer, const Extents& extents) {
    std::int64_t product = 1;
    for (int d = 0; d < layer.dimension_count(); ++d) product = checked_mul(product, extents[d]);
    return product;
}

std::vector<Cut> cuts_of(const Layer& layer, const Operand& operand, const OperandNest& nest, const Extents& executed) {
    std::vector<Cut> cuts;
    for (std::size_t a = 0; a <= nest.levels.size(); ++a) {
        Extents written = a > 0 ? inside_of(nest, a) : operand.is_result() ? ones() : stationary(operand, nest);
        Cut& cut = cuts.emplace_back();
        cut.inside = at_most(written, executed);
        cut.period_cycles = product_of(layer, written);
        Extents single = written;
        if (a > 0) {
            single = inside_of(nest, a - 1);
            multiply(single, without_outermost(nest.levels[a - 1],
                                               [&](const TemporalLoop& loop) { return !moves(operand, loop); }));
        }
        cut.window_cycles = product_of(layer, at_most(single, executed));
        for (int d = 0; d < layer.dimension_count(); ++d) {
            const std::int64_t tiles = ceil_div(executed[d], cut.inside[d]);
            cut.count = checked_mul(cut.count, tiles);
            if (!operand.irrelevant.has(d)) cut.distinct = checked_mul(cut.distinct, tiles);
        }
    }
    return cuts;
}

std::int64_t positions(const zigzag::DimensionRelation& window, const Extents& tile) {
    const std::int64_t a = tile[window.first];
    const std::int64_t b = tile[window.second];
    const std::int64_t common = std::gcd(window.first_step, window.second_step);
    const std::int64_t met_a = std::max<std::int64_t>(0, a - window.second_step / common);
    const std::int64_t met_b = std::max<std::int64_t>(0, b - window.first_step / common);
    return std::min(window.size, checked_mul(a, b) - checked_mul(met_a, met_b));
}

std::int64_t elements_of(const Layer& layer, const Operand& operand, const Extents& inside, const Spatial& spatial,
                         std::size_t levels) {
    Extents tile = inside;
    for (std::size_t l = 0; l < levels; ++l)
        for (const zigzag::ParallelLoop& loop : spatial[l])
            tile[loop.dimension] = checked_mul(tile[loop.dimension], static_cast<std::int64_t>(loop.size));
    for (int d = 0; d < layer.dimension_count(); ++d) tile[d] = std::min(tile[d], layer.dimensions[d].extent);
    std::int64_t elements = 1;
    for (const int d : operand.relevant_axes) elements = checked_mul(elements, tile[d]);
    if (operand.windowed)
        for (const zigzag::DimensionRelation& window : layer.windows)
            elements = checked_mul(elements, positions(window, tile));
    return elements;
}

std::int64_t elements_at_a_time(const Layer& layer, const Operand& operand, const OperandNest& nest,
                                const Extents& executed, const Spatial& spatial, std::size_t level) {
    Extents inside = inside_of(nest, level);
    multiply(inside,
             without_outermost(nest.levels[level], [&](const TemporalLoop& loop) { return moves(operand, loop); }));
    return elements_of(layer, operand, at_most(inside, executed), spatial, level + 1);
}

namespace {

using enum zigzag::Direction;
using zigzag::Direction;

class TrafficBuilder {
   public:
    TrafficBuilder(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer, const Operand& operand,
                   const zigzag::OperandNest& nest, const std::vector<std::vector<zigzag::ParallelLoop>>& spatial,
                   const Extents& executed)
        : accelerator_(accelerator),
          layer_(layer),
          operand_(operand),
          nest_(nest),
          spatial_(spatial),
          executed_(executed),
          cuts_(cuts_of(layer, operand, nest, executed)) {}

    OperandTraffic build() {
        const std::size_t levels = nest_.levels.size();
        traffic_.transfers.resize(levels);
        for (std::size_t l = 0; l < levels; ++l) {
            const std::int64_t precision = precision_above(l + 1);
            const std::int64_t held = elements_of(layer_, operand_, cuts_[l + 1].inside, spatial_, l + 1);
            const std::int64_t needed = elements_at_a_time(layer_, operand_, nest_, executed_, spatial_, l);
            traffic_.bits.push_back(checked_mul(held, precision));
            traffic_.bits_at_a_time.push_back(checked_mul(needed, precision));
        }
        for (std::size_t a = 0; a < levels; ++a) add_link(a);
        return traffic_;
    }

   private:
    /// True if results crossing into memory level `level` are partial sums.
    bool partial_into(std::size_t level) const {
        if (cuts_[level].count > cuts_[level].distinct) return true;
        for (std::size_t l = level + 1; l < spatial_.size(); ++l)
            for (const zigzag::ParallelLoop& loop : spatial_[l])
                if (loop.size > 1 && operand_.irrelevant.has(loop.dimension)) return true;
        return false;
    }

    /// Of the data below architecture level `a`.
    std::int64_t precision_above(std::size_t a) const {
        if (!operand_.is_result()) return operand_.precision_bits;
        return partial_into(a) ? operand_.precision_bits : operand_.final_precision_bits;
    }

    /// Between memory level `a` and the one below it, or the units.
    void add_link(std::size_t a) {
        const Cut& cut = cuts_[a];
        if (!operand_.is_result()) {
            add(a, read_down, write_from_above, cut.count, operand_.precision_bits);
            return;
        }
        add(a, write_from_below, read_up, cut.count, precision_above(a));
        add(a, read_down, write_from_above, cut.count - cut.distinct, operand_.precision_bits);
    }

    void add(std::size_t a, Direction upper, Direction lower, std::int64_t count, std::int64_t precision) {
        if (count == 0) return;
        const Cut& cut = cuts_[a];
        const std::int64_t cycles_each = accelerator_.cycles_per_operation;
        Transfer above{checked_mul(elements_of(layer_, operand_, cut.inside, spatial_, a + 1), precision), 0,
                       checked_mul(cut.period_cycles, cycles_each), checked_mul(cut.window_cycles, cycles_each), count};
        above.cycles = cycles(above.bits, a, upper);
        if (a > 0) {
            Transfer below = above;
            below.bits = checked_mul(elements_of(layer_, operand_, cut.inside, spatial_, a), precision);
            below.cycles = above.cycles = std::max(above.cycles, cycles(below.bits, a - 1, lower));
            traffic_.transfers[a - 1][lower] = below;
        }
        traffic_.transfers[a][upper] = above;
    }

    /// 0 without a port: refused by the caller.
    std::int64_t cycles(std::int64_t bits, std::size_t level, Direction direction) const {
        const zigzag::SharedMemory& memory = accelerator_.memory_at(operand_.memory, static_cast<int>(level));
        const zigzag::Port* port = memory.port_for(operand_.memory, direction);
        return port == nullptr ? 0 : ceil_div(bits, port->bandwidth_max_bits);
    }

    const zigzag::Accelerator& accelerator_;
    const zigzag::Layer& layer_;
    const Operand& operand_;
    const zigzag::OperandNest& nest_;
    const std::vector<std::vector<zigzag::ParallelLoop>>& spatial_;
    const Extents& executed_;
    std::vector<Cut> cuts_;
    OperandTraffic traffic_;
};

}  // namespace

std::vector<OperandTraffic> traffic_of(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
                                       const zigzag::Nest& nest, const zigzag::SpatialMapping& covering,
                                       const Extents& executed) {
    std::vector<OperandTraffic> traffic;
    for (std::size_t i = 0; i < layer.operands.size(); ++i)
        traffic.push_back(
            TrafficBuilder(accelerator, layer, layer.operands[i], nest.operands[i], covering.loops[i], executed)
                .build());
    return traffic;
}

}  // namespace tilewright::stalls
