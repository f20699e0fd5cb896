// OrderEvaluator: cost of a loop order after allocation to memories, in about half a microsecond.
//
// Built once per layer, machine and spatial mapping, immutable, shared by all threads. Equal to allocate() and
// evaluate() to the last bit, with fixed-size arrays: no heap, strings or maps.
//
//     const OrderEvaluator evaluator(accelerator, layer, fractional, whole, loop_factors(layer, fractional), evenness);
//     const std::optional<double> energy_pj = evaluator.energy_pj(evaluator.first_order());
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "zigzag/accounting/allocation.hpp"
#include "zigzag/accounting/spatial.hpp"
#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"
#include "zigzag/values/uneven_mapping.hpp"

namespace tilewright::zigzag {

namespace lean {
struct Setup;
}

struct OrderCost {
    double energy_pj = 0.0;
    double latency_cycles = 0.0;  ///< with stalls, loading and unloading
};

/// A nest's loops by kind, innermost first. Equal loops share a kind.
using LoopOrder = std::vector<std::uint8_t>;

class OrderEvaluator {
   public:
    /// `loops`: the loops to order. `unrolling`: needed for arrays computing in memory. Throws InputError for machines
    /// and layers beyond its arrays (lean/setup.hpp), OverflowError for counts not exact in a double.
    OrderEvaluator(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& fractional,
                   const SpatialMapping& whole, std::span<const TemporalLoop> loops, Evenness evenness,
                   const ArrayUnrolling& unrolling = {});

    /// By kind.
    const std::vector<TemporalLoop>& kinds() const { return kinds_; }
    /// Ascending by kind: an enumeration's first order.
    const LoopOrder& first_order() const { return first_; }
    std::vector<TemporalLoop> loops_of(std::span<const std::uint8_t> order) const;

    /// Empty if a memory is too small. Require a permutation of first_order().
    std::optional<double> energy_pj(std::span<const std::uint8_t> order) const;
    std::optional<OrderCost> cost(std::span<const std::uint8_t> order) const;

    /// Internal to account/zigzag.
    const std::shared_ptr<const lean::Setup>& shared_setup() const { return setup_; }

   private:
    std::vector<TemporalLoop> kinds_;
    LoopOrder first_;
    std::shared_ptr<const lean::Setup> setup_;  // shared: evaluators are values, the set-up is immutable
};

}  // namespace tilewright::zigzag
