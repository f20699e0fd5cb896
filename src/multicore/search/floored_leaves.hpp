// Leaves at their floors, as if they were exact: for evaluations that ask no mapper.
#pragma once

#include "multicore/leaves.hpp"

namespace tilewright::multicore {

/// Keeps a reference.
class FlooredLeaves : public Leaves {
   public:
    explicit FlooredLeaves(Leaves& leaves) : leaves_(leaves) {}
    LeafCost of(int einsum, int kind, const Extents& extents) override { return leaves_.floor(einsum, kind, extents); }
    LeafCost in_sum(int einsum, int kind) override { return leaves_.in_sum(einsum, kind); }

   private:
    Leaves& leaves_;
};

}  // namespace tilewright::multicore
