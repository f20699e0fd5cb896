// Label setting over the temporal loops and stores of one assignment with perfect factors: its undominated nests.
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
    /// `timed`: also tells cycles of throttled memories apart; otherwise cycles are the computation's. `stop`: polled;
    /// true ends run() early. `width`: labels kept per node, the cheapest; the result is then good but unproven.
    Labels(const Mapspace& mapspace, const TileTable& tiles, const Stages& stages, bool timed,
           std::function<bool()> stop = {}, std::size_t width = LabelLimits::kAll)
        : mapspace_(mapspace),
          charges_(tiles.charges()),
          stages_(stages),
          delivery_(mapspace, tiles, stages, timed),
          walk_(mapspace, delivery_, {.at_node = width}, std::move(stop)) {}

    /// Nests undominated in energy (and cycles), without pruned ones.
    std::vector<Nesting> run(const Pruned& pruned, const CompletionBound& completion);

    /// run() was stopped: its result is incomplete.
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
