// Follower: bounds one assignment with perfect factors by its tiles, or follows it to its end.
// Label setting over the temporal loops and stores of one assignment with perfect factors: its undominated nests.
#pragma once

#include <tbb/enumerable_thread_specific.h>
#include <functional>
#include <optional>
#include <vector>

#include "mapper/optimal/answer/answer.hpp"
#include "mapper/optimal/bounds/tile_table.hpp"
#include "mapper/optimal/engine/label_setting.hpp"
#include "mapper/optimal/geometry/charges.hpp"
#include "mapper/optimal/geometry/layouts.hpp"
#include "mapper/optimal/geometry/stages.hpp"
#include "mapper/optimal/perfect/delivery.hpp"

namespace tilewright::optimal {

/// All nests possibly optimal, or a few good ones quickly.
enum class Nests { best, some };

/// Lower bound of a layout's costs, for any nest.
struct LayoutCost {
    double wires_pj = 0.0;  ///< if every word is delivered once
    double leak_pj_per_cycle = 0.0;
};

class Follower {
   public:
    /// `chooses`: assignments also differ in kept tensors. Otherwise following one is faster than costly bounds. Keeps
    /// a reference to the question.
    Follower(const Question& question, bool chooses) : question_(question), chooses_(chooses) {}

    /// A bound of all mappings of the assignment; nothing if out of reach.
    std::optional<Bound> look_at(const Charges& charges, TileTable& tiles, const Incumbent& incumbent) const;

    /// `wireless`: the machine with free wires.
    LayoutCost cost_of(const lean::Setup& wireless, const TilingPoint& layout) const;

    /// Best nests of layouts that differ in wires only, with wires at `wires_pj`. Nothing if stopped. Adds its steps.
    std::optional<std::vector<Nesting>> follow_without_wires(const lean::Setup& wireless, const TilingPoint& assignment,
                                                             double wires_pj, const Incumbent& incumbent,
                                                             std::int64_t& steps) const;

    /// With the layout's least wire energy none of these nests beats the incumbent.
    bool is_too_far_to_travel(const LayoutCost& layout, const std::vector<Nesting>& nests,
                              const Incumbent& incumbent) const;

    /// A mapping found becomes the incumbent.
    void follow(const TilingPoint& assignment, Incumbent& incumbent, Outcome& outcome,
                Nests nests_to_find = Nests::best) const;

   private:
    Bound bound_of(const Charges& charges, double energy_pj, double cycles) const {
        return question_.bound_of(charges.leak_pj_per_cycle(), energy_pj, cycles);
    }
    Stages stages_of(const Charges& charges) const {
        return question_.uneven ? Stages::uneven(charges) : Stages::even(charges);
    }
    bool cost(const Charges& charges, const std::vector<Nesting>& nests, double least_cycles, Incumbent& incumbent,
              Outcome& outcome) const;
    LeanCost cost_of(const Charges& charges, const Nesting& nest) const;

    const Question& question_;
    bool chooses_;
    mutable tbb::enumerable_thread_specific<lean::LinkCache> links_;
};

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
