// Plans as fused mappings whose leaves the optimal mapper maps with all the room that the plan leaves them, judged by
// the exact model.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "fusion/hierarchy/leaf_mapper.hpp"
#include "fusion/leaf/leaf.hpp"
#include "fusion/optimize.hpp"
#include "fusion/space/view.hpp"

namespace tilewright::fusion {

/// A leaf that a plan asks for.
struct AskedLeaf {
    int einsum = 0;
    LeafQuestion question;
    std::int64_t units = 0;  ///< of the buffer that are left to it
};

class PlanMapper {
   public:
    /// Keeps references to all but the machine's shape.
    PlanMapper(const CascadeView& view, const Architecture& architecture, LeafMapper& leaves);

    /// Nothing where stores take more than the buffer has.
    std::optional<std::vector<AskedLeaf>> leaves_of(const FusionPlan& plan) const;

    /// Nothing where some leaf has no room. Leaves are the best for `objective`; for a product those that cost least by
    /// the plan's weights of the ones of least energy, latency and product. Throws Stopped.
    std::optional<Mapped> mapped(FusionPlan plan, ObjectiveKind objective);

    /// By einsum: what a point of it costs inside the buffer.
    std::vector<LeastPerPoint> inside(const Mapped& mapped) const;

    /// Every einsum by itself, as one box.
    FusionPlan alone() const;

   private:
    const LeafMapping* leaf(const AskedLeaf& asked, const FusionPlan& plan, ObjectiveKind objective);
    void add_costs(Mapped& mapped) const;

    const CascadeView& view_;
    const Architecture& architecture_;
    LeafMapper& leaves_;
    int buffer_;
    std::int64_t unit_bits_;
};

}  // namespace tilewright::fusion
