// What one instance of a storage level remembers of a tensor between invocations, and what a new tile therefore still
// needs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "timeloop/account/block.hpp"
#include "timeloop/account/box.hpp"

namespace tilewright::account {

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
    BlockContents earlier;     ///< of a block: what its elements received in the invocation before
    int compute_elements = 0;  ///< compute units directly below that ever worked
};

/// The words that one invocation has to be sent of one tensor.
struct TensorDelta {
    std::int64_t words = 0;
    BoxSet boxes;  ///< ascending; empty unless asked for
};

/// When words of the last tile may be kept.
struct ReuseRule {
    bool reuse = true;        ///< false: never, and nothing is remembered
    bool after_pause = true;  ///< false: standing still counts as a change of direction
};

/// Remembers `tile` and sets `delta` to what it needs beyond the tile before: all of it when the direction or distance
/// of movement changed.
void advance(TensorState& state, const Box& tile, int ranks, ReuseRule rule, bool with_boxes, TensorDelta& delta);

}  // namespace tilewright::account
