// Plans as fused mappings whose leaves the optimal mapper maps with all the room that the plan leaves them, judged by
// the exact model.
#pragma once

#include <optional>
#include <vector>

#include "fusion/hierarchy/leaf_mapper.hpp"
#include "fusion/leaf/leaf.hpp"
#include "fusion/optimize.hpp"
#include "fusion/space/view.hpp"
#include "model/evaluation.hpp"

namespace tilewright::fusion {

/// A leaf that a plan asks for.
struct AskedLeaf {
    int einsum = 0;
    LeafQuestion question;
    std::int64_t units = 0;  ///< of the buffer that are left to it
};

class PlanMapper {
   public:
    /// Keeps references to all but the machine's shape. `partial`: bits of partial sums by tensor of the cascade.
    PlanMapper(const CascadeView& view, const Architecture& architecture, LeafMapper& leaves,
               const PartialBits& partial);

    /// Nothing where stores take more than the buffer has. `sums`: by tensor, which are made there with partial sums
    /// among their words, besides those of which no leaf can finish them; empty: none is known.
    std::optional<std::vector<AskedLeaf>> leaves_of(const FusionPlan& plan, const std::vector<bool>& sums = {}) const;

    /// Nothing where some leaf has no room. Leaves are the best for `objective`; for a product those that cost least by
    /// the plan's weights of the ones of least energy, latency and product. Throws Stopped.
    std::optional<Mapped> mapped(FusionPlan plan, ObjectiveKind objective);

    /// By einsum: what a point of it costs inside the buffer.
    std::vector<LeastPerPoint> inside(const Mapped& mapped) const;

    /// Every einsum by itself, as one box.
    FusionPlan alone() const;

   private:
    bool has_sums(int einsum) const;
    const LeafMapping* leaf(const AskedLeaf& asked, const FusionPlan& plan, ObjectiveKind objective);
    std::optional<std::vector<const LeafMapping*>> leaves(const std::vector<AskedLeaf>& asked, const FusionPlan& plan,
                                                          ObjectiveKind objective);
    Evaluation costs_of(int einsum, const Einsum& box, const Mapping& mapping, bool goes_on) const;
    void add_costs(Mapped& mapped) const;

    const CascadeView& view_;
    const Architecture& architecture_;
    LeafMapper& leaves_;
    const PartialBits& partial_;
    const std::vector<std::int64_t> bits_of_sums_;  // by tensor, as bits_of_sums()
    int buffer_;
    std::int64_t unit_bits_;
};

}  // namespace tilewright::fusion
