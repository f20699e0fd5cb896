#include "zigzag/lean/order_evaluator.hpp"

#include <algorithm>

#include "zigzag/lean/latency.hpp"
#include "zigzag/lean/movement.hpp"
#include "zigzag/lean/setup.hpp"

namespace tilewright::zigzag {
namespace {

// False if a memory is too small.
bool prepare(const lean::Setup& setup, lean::Nest& nest) {
    if (!lean::allocate(setup, nest.sequence, nest.cuts)) return false;
    lean::sink(setup, nest);
    return true;
}

}  // namespace

OrderEvaluator::OrderEvaluator(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& fractional,
                               const SpatialMapping& whole, std::span<const TemporalLoop> loops, Evenness evenness,
                               const ArrayUnrolling& unrolling) {
    for (const TemporalLoop& loop : loops) {
        const auto same = std::find(kinds_.begin(), kinds_.end(), loop);
        first_.push_back(static_cast<std::uint8_t>(same - kinds_.begin()));
        if (same == kinds_.end()) kinds_.push_back(loop);
    }
    std::sort(first_.begin(), first_.end());
    setup_ = std::make_shared<const lean::Setup>(
        lean::make_setup(accelerator, layer, fractional, whole, kinds_, loops, evenness, unrolling));
}

std::vector<TemporalLoop> OrderEvaluator::loops_of(std::span<const std::uint8_t> order) const {
    std::vector<TemporalLoop> loops;
    for (const std::uint8_t kind : order) loops.push_back(kinds_[kind]);
    return loops;
}

std::optional<double> OrderEvaluator::energy_pj(std::span<const std::uint8_t> order) const {
    lean::Nest nest(lean::Sequence(*setup_, order));
    if (!prepare(*setup_, nest)) return std::nullopt;
    return lean::energy_of(*setup_, nest);
}

std::optional<OrderCost> OrderEvaluator::cost(std::span<const std::uint8_t> order) const {
    lean::Nest nest(lean::Sequence(*setup_, order));
    if (!prepare(*setup_, nest)) return std::nullopt;
    return OrderCost{lean::energy_of(*setup_, nest), lean::latency_of(*setup_, nest)};
}

}  // namespace tilewright::zigzag
