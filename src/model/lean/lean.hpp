// LeanEvaluator: energy and cycles of mappings for the searches: well under a microsecond for perfect factors, some
// microseconds with remainders.
//
// Built once per layer and machine, immutable, shared by all threads. Same results as check() and evaluate() (same
// verdict; energy equal up to the order of summation) with fixed-size arrays: no allocation, no strings, no maps,
// except for wire energy or cases beyond the fixed sizes. Counts are doubles, exact up to 2^53. docs/model.md derives
// the closed forms.
//
//     const LeanEvaluator evaluator(einsum, architecture);
//     const LeanCost cost = evaluator.evaluate(point);
//     if (cost.valid()) use(cost.energy_pj, cost.cycles);
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapping/tiling_point.hpp"
#include "mapping/validity.hpp"
#include "model/objective.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

namespace lean {
struct Setup;
struct Prices;
class LinkCache;
}  // namespace lean

struct LeanCost {
    std::optional<ViolationKind> violation;  ///< the first one reported by check()
    double energy_pj = 0.0;
    std::int64_t cycles = 0;

    bool valid() const { return !violation; }
    double edp_pj_cycles() const { return energy_pj * static_cast<double>(cycles); }
};

/// One thread's cache between evaluations of one evaluator: targets and hops of multicasts, a function of the spatial
/// loops. Saves most of the time on machines with wire energy; useless on others. Also the stop for slow evaluations:
/// those with remainders over many thousands of instances may take minutes.
class LeanScratch {
   public:
    /// `stop` may be null; it outlives the scratch.
    explicit LeanScratch(const StopSource* stop = nullptr);
    LeanScratch(LeanScratch&&) noexcept;
    LeanScratch& operator=(LeanScratch&&) noexcept;
    ~LeanScratch();

   private:
    friend class LeanEvaluator;
    std::unique_ptr<lean::LinkCache> links_;
    const StopSource* stop_;
};

/// Mappings above this cost are of no use.
struct CostLimit {
    Objective objective;
    double value = std::numeric_limits<double>::infinity();

    bool is_exceeded(double energy_pj, double cycles) const {
        constexpr double kRounding = 1.0 - 1e-9;
        return value < std::numeric_limits<double>::infinity() &&
               objective.score(energy_pj, cycles).value * kRounding > value;
    }
};

class LeanEvaluator {
   public:
    /// Copies both inputs. Throws OverflowError for too many operations or words.
    LeanEvaluator(const Einsum& einsum, const Architecture& architecture);
    /// `prices`: prices of words instead of the memories' prices of rows (model/lean/prices.hpp); null: none. With
    /// remainders every time step has to take a cycle, and cases without closed form may be unsupported.
    LeanEvaluator(const Einsum& einsum, const Architecture& architecture, std::shared_ptr<const lean::Prices> prices);

    /// Requires a point of this layer and machine: as many levels as memories, as many dimensions. Factors of a
    /// dimension beyond its extent imply remainders (mapping_of(point, einsum) in perfect.hpp); if none fit, the
    /// violation is factor_product.
    LeanCost evaluate(const TilingPoint& point) const;
    /// Throws Stopped in slow cases once the stop of `scratch` is requested.
    LeanCost evaluate(const TilingPoint& point, LeanScratch& scratch) const;

    /// The same; but a valid mapping certainly above the limit may get less than its cost, still above the limit,
    /// sooner.
    LeanCost evaluate(const TilingPoint& point, LeanScratch& scratch, const CostLimit& limit) const;

    /// A lower bound for slow cases of evaluate() (remainders on a machine with wire energy): the cost with free wires.
    /// Nothing if evaluate() is quick. Throws Stopped as evaluate() does.
    std::optional<LeanCost> quick_bound(const TilingPoint& point, const LeanScratch& scratch) const;

    /// The first violation only; cheaper than evaluate().
    std::optional<ViolationKind> violation(const TilingPoint& point) const;

    const Einsum& einsum() const;
    const Architecture& architecture() const;
    const std::shared_ptr<const lean::Prices>& prices() const;

   private:
    LeanCost evaluate(const TilingPoint& point, lean::LinkCache* links, const StopSource* stop,
                      const CostLimit& limit) const;

    std::shared_ptr<const lean::Setup> setup_;  // shared: evaluators are values, their set-up never changes
};

}  // namespace tilewright
