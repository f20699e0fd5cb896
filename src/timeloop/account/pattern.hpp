// How the parts of a spatial block's elements follow from element 0's: each is its neighbour's, moved by one step of
// the loop that separates them.
#pragma once

#include <cstdint>
#include <vector>

#include "timeloop/account/block.hpp"

namespace tilewright::account {

/// `at_last` has a bit per dimension whose loops outside the block are all at their last iteration. Groups are left
/// empty.
BlockPattern make_pattern(const Nest& nest, const SpatialBlock& block, const std::vector<Projection>& projections,
                          std::uint32_t at_last);

/// Trips of a block's loop: its remainder when all loops of its dimension outside, those of the block included, are at
/// their last.
class BlockTrips {
   public:
    BlockTrips(const Nest& nest, const SpatialBlock& block, std::uint32_t at_last)
        : nest_(nest), block_(block), at_last_(at_last), index_(static_cast<std::size_t>(block.master + 1), 0) {}

    std::int64_t trips(int level) const;
    void set_index(int level, std::int64_t index) { index_[level] = index; }
    std::int64_t index(int level) const { return index_[level]; }

   private:
    const Nest& nest_;
    const SpatialBlock& block_;
    std::uint32_t at_last_;
    std::vector<std::int64_t> index_;
};

}  // namespace tilewright::account
