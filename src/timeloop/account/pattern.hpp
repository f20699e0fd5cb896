// Parts of a spatial block's elements derived from element 0's: each is its neighbour's, displaced by one step of the
// loop between them.
#pragma once

#include <cstdint>
#include <vector>

#include "timeloop/account/block.hpp"

namespace tilewright::account {

/// `at_last`: one bit per dimension, set if all its outer loops are at their last iteration. Groups stay empty.
BlockPattern make_pattern(const Nest& nest, const SpatialBlock& block, const std::vector<Projection>& projections,
                          std::uint32_t at_last);

/// Trips of a block's loop: the remainder if all outer loops of its dimension, the block's included, are at their last
/// iteration.
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
