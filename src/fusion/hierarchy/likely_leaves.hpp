// Leaves at what they are likely to cost: a search over these finds plans that are worth to be mapped. Nothing is
// proven by them.
//
// Inside the buffer a point costs what it costs where its einsum is mapped by itself, or what was seen since. Of the
// operands that the leaf brings by itself the largest streams by the others, in as many passes as these need to fit.
#pragma once

#include <map>
#include <vector>

#include "fusion/context.hpp"
#include "fusion/hierarchy/floor_leaves.hpp"

namespace tilewright::fusion {

class LikelyLeaves : public Leaves {
   public:
    /// `inside`: by einsum, of a point of it. Keeps references to all but that.
    LikelyLeaves(FloorLeaves& floors, const Cascade& cascade, const Machine& machine,
                 std::vector<LeastPerPoint> inside);

    const LeafFront& front(int einsum, const LeafQuestion& question) override;
    const LeafPoint& floor(int einsum, const LeafQuestion& question) override {
        return floors_.floor(einsum, question);
    }
    const std::vector<LeastPerPoint>& per_point(int einsum, const std::vector<double>& paid) override {
        const auto [entry, is_new] = per_point_.try_emplace({einsum, paid});
        if (is_new) entry->second = {least_of(floors_.per_point(einsum, paid))};  // what is likely lies at no corner
        return entry->second;
    }
    std::size_t count() const override { return fronts_.size(); }

   private:
    LeafFront likely(int einsum, const LeafQuestion& question) const;

    FloorLeaves& floors_;
    const Cascade& cascade_;
    const Machine& machine_;
    std::vector<LeastPerPoint> inside_;
    std::map<std::pair<int, LeafQuestion>, LeafFront> fronts_;
    std::map<std::pair<int, std::vector<double>>, std::vector<LeastPerPoint>> per_point_;
};

}  // namespace tilewright::fusion
