// Label setting over the temporal loops of one assignment whose spatial factors may leave remainders (ruby-s): the same
// walk as with perfect factors (perfect/labels.hpp), with two differences. The lattice is that of ImperfectTiles, and
// what a delivery costs is known as a range. A label dies when another one costs no more even if all that is uncertain
// of the two turns out against it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "mapper/optimal/engine/label_setting.hpp"
#include "mapper/optimal/geometry/nesting.hpp"
#include "mapper/optimal/imperfect/delivery.hpp"

namespace tilewright::optimal {

class ImperfectLabels {
   public:
    using Mode = ImperfectMode;
    using Least = ImperfectDelivery::Least;

    /// `completion_bound` looks at these charges.
    ImperfectLabels(const Mapspace& mapspace, const ImperfectCharges& charges,
                    ImperfectCompletionBound& completion_bound, Mode mode, std::function<bool()> stop = {})
        : mapspace_(mapspace),
          charges_(charges),
          delivery_(mapspace, charges, completion_bound, mode),
          walk_(mapspace, delivery_, {.at_node = mode.most_per_place, .in_all = mode.most_labels}, std::move(stop)) {}

    /// All nests that no other one of this assignment beats, less the pruned ones, with what they cost at least.
    std::vector<Nesting> run(const Pruning& pruning);

    /// What this assignment's nest with the temporal loops of `point` costs, as far as labels know: energy without
    /// leakage, and (when timed) cycles. Nothing when it is not in the space or does not fit.
    struct Price {
        Range energy_pj;
        Range cycles;
        Least at_least;  ///< the highest bounds on the way there
    };
    std::optional<Price> price(const TilingPoint& point);

    /// run() was told to stop: what it returned is not all.
    bool stopped() const { return walk_.stopped(); }
    /// Too many labels: likewise.
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

}  // namespace tilewright::optimal
