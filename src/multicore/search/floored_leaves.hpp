// Leaves at their floors, as if they were exact: for evaluations that ask no mapper.
#pragma once

#include <map>
#include <tuple>

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

}  // namespace tilewright::multicore
