// OrderEvaluator: what a loop order costs once its loops are allocated to memories, in about half a microsecond.
//
// Built once per layer, machine and spatial mapping, immutable afterwards, shared by all threads. It computes what
// allocate() and evaluate() compute, to the last bit, with fixed-size arrays: no allocation of memory, no strings, no
// maps.
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
    double latency_cycles = 0.0;  ///< with stalls, loading before and off-loading after the computation
};

/// The loops of a nest by kind, innermost first. Equal loops are of one kind.
using LoopOrder = std::vector<std::uint8_t>;

class OrderEvaluator {
   public:
    /// `loops` are the loops to be ordered. Throws InputError for machines and layers beyond its arrays
    /// (lean/setup.hpp), OverflowError where counts do not stay whole in a double.
    OrderEvaluator(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& fractional,
                   const SpatialMapping& whole, std::span<const TemporalLoop> loops, Evenness evenness);

    /// By kind.
    const std::vector<TemporalLoop>& kinds() const { return kinds_; }
    /// The loops, ascending by kind: the first order of an enumeration.
    const LoopOrder& first_order() const { return first_; }
    std::vector<TemporalLoop> loops_of(std::span<const std::uint8_t> order) const;

    /// Nothing when a memory is too small for it. Require a permutation of first_order().
    std::optional<double> energy_pj(std::span<const std::uint8_t> order) const;
    std::optional<OrderCost> cost(std::span<const std::uint8_t> order) const;

    /// Internal to account/zigzag.
    const std::shared_ptr<const lean::Setup>& shared_setup() const { return setup_; }

   private:
    std::vector<TemporalLoop> kinds_;
    LoopOrder first_;
    std::shared_ptr<const lean::Setup> setup_;  // shared: evaluators are values, their set-up never changes
};

}  // namespace tilewright::zigzag
