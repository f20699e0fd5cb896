// Follows one assignment of a mapspace with spatial remainders to its end.
// Label setting over the temporal loops of one assignment with spatial remainders (ruby-s). Two differences from
// perfect/labels.hpp: the lattice is ImperfectTiles, and deliveries cost ranges. A label is dropped if another's upper
// end is at most its lower end.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "mapper/optimal/engine/label_setting.hpp"
#include "mapper/optimal/geometry/layouts.hpp"
#include "mapper/optimal/imperfect/delivery.hpp"
#include "model/lean/lean.hpp"

namespace tilewright::optimal {

class ImperfectLabels {
   public:
    using Mode = ImperfectMode;
    using Least = ImperfectDelivery::Least;

    /// Sets `completion_bound` to these charges.
    ImperfectLabels(const Mapspace& mapspace, const ImperfectCharges& charges,
                    ImperfectCompletionBound& completion_bound, Mode mode, std::function<bool()> stop = {})
        : mapspace_(mapspace),
          charges_(charges),
          delivery_(mapspace, charges, completion_bound, mode),
          walk_(mapspace, delivery_, {.at_node = mode.most_per_place, .in_all = mode.most_labels}, std::move(stop)) {}

    /// All undominated nests of the assignment, without pruned ones, with their lower bounds.
    std::vector<Nesting> run(const Pruning& pruning);

    /// A label's price of the nest with the temporal loops of `point`: energy without leakage and, if timed, cycles.
    /// Nothing if outside the space or too large.
    struct Price {
        Range energy_pj;
        Range cycles;
        Least at_least;  ///< the highest bounds on the way there
    };
    std::optional<Price> price(const TilingPoint& point);

    /// run() was stopped: its result is incomplete.
    bool stopped() const { return walk_.stopped(); }
    bool overflowed() const { return walk_.overflowed(); }

   private:
    using Label = ImperfectDelivery::Label;

    Nesting nesting(const Label& label, double cycles) const;
    const Label& label_of(const ImperfectDelivery::Entry& entry) const { return delivery_.labels()[entry.label]; }

    const Mapspace& mapspace_;
    const ImperfectCharges& charges_;
    ImperfectDelivery delivery_;
    LabelSetting<ImperfectDelivery> walk_;
};

struct ImperfectHooks {
    Pruning pruning;
    /// Of two nests of equal energy the slower may be worse by more than a tie.
    bool time_matters = true;
    /// Memories are probably slower than the compute units.
    bool is_throttled = false;
    std::function<void(const TilingPoint&, const LeanCost&)> found;
    /// Called with lower bounds of parts not followed further.
    std::function<void(double energy_pj, double cycles)> open;
    std::function<bool()> stop;
    /// If set: called instead of slow steps.
    std::function<void()> later;
};

/// False if stopped: incomplete.
bool follow_imperfect(const Mapspace& mapspace, const ImperfectCharges& charges,
                      ImperfectCompletionBound& completion_bound, const LeanEvaluator& evaluator,
                      const ImperfectHooks& hooks);

/// Quick search for good nests of one assignment.
void dive_imperfect(const Mapspace& mapspace, const ImperfectCharges& charges,
                    ImperfectCompletionBound& completion_bound, const LeanEvaluator& evaluator,
                    const ImperfectHooks& hooks);

}  // namespace tilewright::optimal
