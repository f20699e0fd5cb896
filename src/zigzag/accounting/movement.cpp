#include "zigzag/accounting/movement.hpp"

#include <cmath>

#include "base/numbers/checked.hpp"
#include "zigzag/accounting/rounding.hpp"

namespace tilewright::zigzag {
namespace {

using Levels = std::vector<std::vector<ParallelLoop>>;

void append(std::vector<ParallelLoop>& loops, const LevelLoops& temporal) {
    for (const TemporalLoop& loop : temporal) loops.push_back({loop.dimension, static_cast<double>(loop.size)});
}

void append(std::vector<ParallelLoop>& loops, const std::vector<ParallelLoop>& spatial) {
    loops.insert(loops.end(), spatial.begin(), spatial.end());
}

/// Data in one instance of each architecture level.
Levels inside(const OperandNest& nest, const Levels& spatial) {
    Levels levels(1);
    for (std::size_t l = 0; l < nest.levels.size(); ++l) {
        std::vector<ParallelLoop>& loops = levels.emplace_back();
        append(loops, nest.levels[l]);
        append(loops, spatial[l]);
    }
    return levels;
}

/// Data over all instances of each architecture level.
Levels over_all(const OperandNest& nest, const Levels& spatial) {
    Levels levels;
    for (std::size_t a = 0; a <= nest.levels.size(); ++a) {
        std::vector<ParallelLoop>& loops = levels.emplace_back();
        if (a > 0) append(loops, nest.levels[a - 1]);
        append(loops, spatial[a]);
    }
    return levels;
}

/// State of the result above each architecture level.
struct PartialSums {
    std::vector<bool> partial;          ///< [a]
    std::vector<double> contributions;  ///< [a]: irrelevant iterations from level a up; 1 beyond the top
};

PartialSums partial_sums(const Layer& layer, const OperandNest& nest, const Levels& spatial) {
    const Operand& result = layer.result();
    const Levels levels = over_all(nest, spatial);
    const std::vector<Split> splits = split_windows(layer, result, levels);
    const std::size_t count = levels.size();
    PartialSums sums{std::vector<bool>(count, false), std::vector<double>(count + 2, 1.0)};
    const auto adds_up = [&](const std::vector<ParallelLoop>& loops) {
        for (const ParallelLoop& loop : loops)
            if (loop.size > 1 && result.irrelevant.has(loop.dimension)) return true;
        return false;
    };
    for (std::size_t a = count - 1; a-- > 0;) sums.partial[a] = sums.partial[a + 1] || adds_up(levels[a + 1]);
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t from = a; from < count; ++from) sums.contributions[a] *= splits[from].irrelevant;
    return sums;
}

class MovementBuilder {
   public:
    MovementBuilder(const Layer& layer, const Operand& operand, const OperandNest& nest, std::int64_t total_cycles,
                    const Levels& spatial)
        : layer_(layer), operand_(operand), nest_(nest), total_cycles_(total_cycles), spatial_(spatial) {}

    OperandMovement build() {
        movement_.units = unit_counts(layer_, operand_, spatial_);
        if (operand_.is_result())
            sums_ = partial_sums(layer_, nest_, spatial_);
        else
            sums_ = {std::vector<bool>(nest_.cycles.size(), false), {}};
        movement_.partial = sums_.partial;
        add_sizes();
        for (std::size_t l = 0; l < nest_.levels.size(); ++l) movement_.flows.push_back(flows_at(l));
        return movement_;
    }

   private:
    std::int64_t precision(std::size_t a) const {
        return sums_.partial[a]       ? operand_.precision_bits
               : operand_.is_result() ? operand_.final_precision_bits
                                      : operand_.precision_bits;
    }

    void add_sizes() {
        const std::vector<Split> splits = split_windows(layer_, operand_, inside(nest_, spatial_));
        double product = 1.0;
        for (std::size_t a = 0; a < splits.size(); ++a) {
            product *= splits[a].relevant;
            movement_.elements.push_back(round_to_even(product));
            movement_.bits.push_back(checked_mul(movement_.elements[a], precision(a)));
            movement_.effective_bits.push_back(movement_.bits[a] / nest_.top_relevant[a]);
        }
    }

    /// The refill of architecture level `a`, with `elements` each time.
    Flow flow(std::size_t a, std::int64_t boost) const {
        Flow flow;
        const double bits_per_cycle =
            static_cast<double>(movement_.bits[a]) / static_cast<double>(nest_.cycles[a]) * static_cast<double>(boost);
        flow.bits_per_cycle = truncated(bits_per_cycle);
        flow.period = nest_.cycles[a];
        flow.count = total_cycles_ / nest_.cycles[a];
        flow.elements = checked_mul(movement_.elements[a], boost);
        flow.window = truncated(static_cast<double>(flow.period) / static_cast<double>(nest_.top_irrelevant[a]));
        flow.bits_per_window_cycle = checked_mul(flow.bits_per_cycle, nest_.top_irrelevant[a]);
        return flow;
    }

    static Flow with_precision(Flow flow, std::int64_t precision_bits) {
        flow.precision_bits = precision_bits;
        return flow;
    }

    /// True if results leave architecture level `a` as partial sums, judged by the whole tensor.
    bool comes_back(std::size_t a) const {
        return truncated(static_cast<double>(operand_.elements) * (sums_.contributions[a] - 1)) != 0;
    }

    void add_result_flows(std::size_t l, const Flow& down, const Flow& up, PerDirection<Flow>& flows) const {
        using enum Direction;
        const std::int64_t wide = operand_.precision_bits;
        const std::int64_t narrow = operand_.final_precision_bits;
        const bool below = comes_back(l + 1);
        const bool above = comes_back(l + 2);
        flows[write_from_below] = with_precision(down, below ? wide : narrow);
        flows[read_up] = with_precision(up, above ? wide : narrow);
        if (sums_.partial[l]) flows[read_down] = with_precision(down, below ? wide : 0);
        if (sums_.partial[l + 1]) flows[write_from_above] = with_precision(up, above ? wide : 0);
    }

    /// Operations per distinct element kept by `levels` up to `last`.
    double reuse(const Levels& levels, std::size_t last) const {
        const std::vector<Split> splits = split_windows(layer_, operand_, levels);
        double product = 1.0;
        for (std::size_t a = 0; a <= last; ++a) product *= splits[a].irrelevant;
        return product;
    }

    void add_moved(std::size_t l, PerDirection<Flow>& flows) const {
        using enum Direction;
        const auto moved = [&](Direction direction, double elements) {
            if (flows[direction].count != 0) flows[direction].moved = round_to_even(elements);
        };
        const double operations = static_cast<double>(layer_.operations);
        const double down = operations / reuse(over_all(nest_, spatial_), l);
        const double up = operations / reuse(inside(nest_, spatial_), l + 1);
        if (operand_.is_result()) {
            const double elements = static_cast<double>(operand_.elements);
            moved(read_down, std::trunc(elements * (sums_.contributions[l + 1] - 1)));
            moved(write_from_below, down);
            moved(read_up, up);
            moved(write_from_above, std::trunc(elements * (sums_.contributions[l + 2] - 1)));
            return;
        }
        moved(read_down, down);
        moved(write_from_above, up);
    }

    PerDirection<Flow> flows_at(std::size_t l) const {
        using enum Direction;
        PerDirection<Flow> flows;
        const Flow down = flow(l, movement_.units.boost[l]);
        const Flow up = flow(l + 1, 1);
        if (operand_.is_result()) {
            add_result_flows(l, down, up, flows);
        } else {
            flows[read_down] = with_precision(down, operand_.precision_bits);
            flows[write_from_above] = with_precision(up, operand_.precision_bits);
        }
        if (l + 1 == nest_.levels.size()) flows[read_up] = flows[write_from_above] = Flow{};
        add_moved(l, flows);
        return flows;
    }

    const Layer& layer_;
    const Operand& operand_;
    const OperandNest& nest_;
    std::int64_t total_cycles_;
    const Levels& spatial_;
    PartialSums sums_;
    OperandMovement movement_;
};

}  // namespace

std::vector<OperandMovement> data_movement(const Layer& layer, const Nest& nest, const SpatialMapping& spatial) {
    std::vector<OperandMovement> movements;
    for (std::size_t i = 0; i < layer.operands.size(); ++i)
        movements.push_back(
            MovementBuilder(layer, layer.operands[i], nest.operands[i], nest.total_cycles, spatial.loops[i]).build());
    return movements;
}

}  // namespace tilewright::zigzag
