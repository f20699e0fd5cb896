// The sampled walk over a nest (Timeloop, loop-analysis/nest-analysis.cpp): tile sizes and access counts per storage
// level.
// State of one storage-level instance per tensor between invocations, and the delta of a new tile.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "timeloop/account/block.hpp"
#include "timeloop/account/box.hpp"
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

struct TensorState {
    std::optional<Box> last_tile;
    std::optional<Point> last_move;
    std::int64_t most_words = 0;
    TrafficTable traffic;
    std::int64_t link_transfers = 0;
};

/// One loop level at one place of the array.
struct LevelState {
    std::array<TensorState, kMaxTensors> tensors;
    BlockContents earlier;     ///< of a block: parts received in the previous invocation
    int compute_elements = 0;  ///< compute units directly below with any work so far
};

/// Words of one tensor delivered in one invocation.
struct TensorDelta {
    std::int64_t words = 0;
    BoxSet boxes;  ///< ascending; filled on request
};

/// When the last tile's words may stay.
struct ReuseRule {
    bool reuse = true;        ///< false: never, and nothing is remembered
    bool after_pause = true;  ///< false: a pause counts as a change of direction
};

/// Remembers `tile`; `delta` is its part beyond the previous tile, or all of it if the direction or distance of
/// movement changed.
void advance(TensorState& state, const Box& tile, int ranks, ReuseRule rule, bool with_boxes, TensorDelta& delta);

}  // namespace tilewright::account
