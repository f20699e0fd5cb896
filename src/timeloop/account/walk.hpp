// The sampled walk over a nest (Timeloop, loop-analysis/nest-analysis.cpp): tile sizes and access counts per storage
// level.
#pragma once

#include <cstdint>
#include <vector>

#include "timeloop/account/block.hpp"
#include "timeloop/account/nest.hpp"
#include "timeloop/account/timeloop.hpp"

namespace tilewright::account {

/// One tensor at one storage level, averaged over the visited instances.
struct StorageCounts {
    std::int64_t tile_words = 0;
    std::int64_t block_words = 0;  ///< tile of the whole spatial block below; tile_words of this level if none
    TrafficTable traffic;          ///< traffic between the level and its children
    std::int64_t link_transfers = 0;
    std::int64_t replication = 1;  ///< instances in use, truncated
    std::int64_t fanout = 1;
    bool has_block = false;
};

struct WalkCounts {
    std::vector<std::vector<StorageCounts>> storages;  ///< by storage level (innermost first), by tensor
    double computes_per_instance = 0.0;
    std::int64_t compute_instances = 1;
};

/// `switches` holds one entry per storage level, innermost first.
WalkCounts walk(const Einsum& einsum, const Nest& nest, const std::vector<LevelOptions>& switches,
                const TimeloopOptions& options);

}  // namespace tilewright::account
