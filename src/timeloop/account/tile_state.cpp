#include "timeloop/account/tile_state.hpp"

#include <algorithm>

namespace tilewright::account {
namespace {

/// Updates the remembered movement; true if the last tile's words stay resident.
bool keeps_last(TensorState& state, const Box& tile, int ranks, bool after_pause) {
    if (!state.last_tile) return true;
    const Point move = translation(*state.last_tile, tile, ranks);
    if (after_pause && move == Point{}) return true;
    if (!state.last_move) {
        state.last_move = move;
        return true;
    }
    if (move == *state.last_move) return true;
    state.last_move.reset();
    return false;
}

}  // namespace

void advance(TensorState& state, const Box& tile, int ranks, ReuseRule rule, bool with_boxes, TensorDelta& delta) {
    const bool keeps = rule.reuse && keeps_last(state, tile, ranks, rule.after_pause) && state.last_tile;
    delta.words = words(tile, ranks) - (keeps ? common_words(tile, *state.last_tile, ranks) : 0);
    delta.boxes.clear();
    if (with_boxes && keeps) {
        subtract(tile, *state.last_tile, ranks, delta.boxes);
        std::sort(delta.boxes.begin(), delta.boxes.end());
    } else if (with_boxes) {
        delta.boxes.push_back(tile);
    }
    if (rule.reuse) state.last_tile = tile;
}

}  // namespace tilewright::account
