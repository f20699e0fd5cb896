// LeanEvaluator: energy and cycles of mappings for the searches: in well under a microsecond where all factors divide,
// in some where they leave remainders.
//
// Built once per layer and machine, immutable afterwards, shared by all threads. It computes what check() and
// evaluate() compute (same verdict; energy equal up to the order of summation) with fixed-size arrays: no allocation,
// no strings, no maps, except where links cost energy or a case is too complex for fixed sizes. Counts are
// doubles, exact up to 2^53. docs/model.md derives the closed forms.
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
    std::optional<ViolationKind> violation;  ///< the first one that check() reports
    double energy_pj = 0.0;
    std::int64_t cycles = 0;

    bool valid() const { return !violation; }
    double edp_pj_cycles() const { return energy_pj * static_cast<double>(cycles); }
};

/// What one thread may keep between evaluations of one evaluator: where multicasts go and how far, which only changes
/// with the spatial loops. Saves most of the time on machines whose wires cost energy; useless on others. And who may
/// cut an evaluation short: those with remainders over many thousands of instances may take minutes.
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

/// Above which the cost of a mapping is of no use.
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
    /// Copies what it needs of both. Throws OverflowError when the layer has too many operations or words to count.
    LeanEvaluator(const Einsum& einsum, const Architecture& architecture);
    /// `prices`: what words cost in place of the memories' prices of rows (model/lean/prices.hpp); null: there are
    /// none. With remainders every time step has to take a cycle, and less may be said of what no closed form covers.
    LeanEvaluator(const Einsum& einsum, const Architecture& architecture, std::shared_ptr<const lean::Prices> prices);

    /// Requires a point of this layer and machine: as many levels as memories, as many dimensions. Factors of a
    /// dimension that multiply to more than its extent imply remainders (mapping_of(point, einsum) in perfect.hpp); if
    /// none fit, the violation is factor_product.
    LeanCost evaluate(const TilingPoint& point) const;
    /// Throws Stopped where it takes long and the stop of `scratch` is requested.
    LeanCost evaluate(const TilingPoint& point, LeanScratch& scratch) const;

    /// The same; or, of a valid mapping whose score is certainly above the limit, less than what it costs and still
    /// above the limit, found sooner.
    LeanCost evaluate(const TilingPoint& point, LeanScratch& scratch, const CostLimit& limit) const;

    /// Where evaluate() takes long, with remainders on a machine whose wires cost energy: the same without the wires,
    /// which is never more. Nothing where evaluate() is quick itself. Throws Stopped as evaluate() does.
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
