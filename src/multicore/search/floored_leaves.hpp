// Leaves at their floors, as if they were exact: for evaluations that ask no mapper.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "multicore/leaves.hpp"

namespace tilewright::multicore {

/// Keeps a reference.
class FlooredLeaves : public Leaves {
   public:
    explicit FlooredLeaves(Leaves& leaves) : leaves_(leaves) {}
    LeafCost of(int einsum, int kind, const Extents& extents) override {
        const auto [known, is_new] = known_.try_emplace({einsum, kind, extents});
        if (is_new) known->second = leaves_.floor(einsum, kind, extents);
        return known->second;
    }
    LeafCost in_sum(int einsum, int kind) override { return leaves_.in_sum(einsum, kind); }

   private:
    Leaves& leaves_;
    std::map<std::tuple<int, int, Extents>, LeafCost> known_;
};

/// Leaves at their floors as long as no floor of the einsum has been found below a mapping; then as they are.
class TrustedLeaves : public Leaves {
   public:
    /// Keeps a reference.
    explicit TrustedLeaves(Leaves& leaves) : leaves_(leaves), floored_(leaves) {}
    LeafCost of(int einsum, int kind, const Extents& extents) override {
        LeafCost cost = is_distrusted(einsum) ? leaves_.of(einsum, kind, extents) : floored_.of(einsum, kind, extents);
        cost.is_exact = true;
        return cost;
    }
    LeafCost floor(int einsum, int kind, const Extents& extents) override { return floored_.of(einsum, kind, extents); }
    LeafCost in_sum(int einsum, int kind) override { return leaves_.in_sum(einsum, kind); }

    /// Whoever trusted before has floors alone.
    void distrust(int einsum) { distrusted_.push_back(einsum); }
    bool is_distrusted(int einsum) const { return std::ranges::find(distrusted_, einsum) != distrusted_.end(); }
    std::size_t distrusted() const { return distrusted_.size(); }

   private:
    Leaves& leaves_;
    FlooredLeaves floored_;
    std::vector<int> distrusted_;
};

}  // namespace tilewright::multicore
