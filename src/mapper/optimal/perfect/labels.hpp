// Label setting over the temporal loops and stores of one assignment (spatial factors and kept tensors fixed) where all
// factors divide: the nests that no other one of the assignment beats.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "mapper/optimal/engine/label_setting.hpp"
#include "mapper/optimal/geometry/nesting.hpp"
#include "mapper/optimal/perfect/delivery.hpp"

namespace tilewright::optimal {

class Labels {
   public:
    /// `timed`: also tell cycles of throttled memories apart; otherwise cycles are those of the computation.
    /// `stop`: asked from time to time; when it says so, run() ends early.
    /// `width`: keeps so many labels at a node, the cheapest: what comes out is good, but need not be the best.
    Labels(const Mapspace& mapspace, const TileTable& tiles, const Stages& stages, bool timed,
           std::function<bool()> stop = {}, std::size_t width = LabelLimits::kAll)
        : mapspace_(mapspace),
          charges_(tiles.charges()),
          stages_(stages),
          delivery_(mapspace, tiles, stages, timed),
          walk_(mapspace, delivery_, {.at_node = width}, std::move(stop)) {}

    /// All nests that no other one of this assignment beats in energy (and cycles), less the pruned ones.
    std::vector<Nesting> run(const Pruned& pruned, const CompletionBound& completion);

    /// run() was told to stop: what it returned is not all.
    bool stopped() const { return walk_.stopped(); }

   private:
    using Label = PerfectDelivery::Label;

    Nesting nesting(const Label& label) const;
    TilingPoint even_point(const Label& label) const;
    Mapping uneven_mapping(const Label& label) const;

    const Mapspace& mapspace_;
    const Charges& charges_;
    const Stages& stages_;
    PerfectDelivery delivery_;
    LabelSetting<PerfectDelivery> walk_;
};

}  // namespace tilewright::optimal
