#include "zigzag/stalls/links.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::stalls {
namespace {

using enum zigzag::Direction;
using zigzag::Direction;
using zigzag::Operand;

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
