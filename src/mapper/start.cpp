#include "mapper/start.hpp"

#include <algorithm>

namespace tilewright {
namespace {

void empty_slot(const Mapspace& space, TilingPoint& point, int from, int to) {
    for (int d = 0; d < space.dimension_count(); ++d) {
        space.empty_slot(point, d, from);
        for (const std::int32_t prime : space.primes(d))
            while (space.move_factor(point, d, prime, from, to)) continue;
    }
}

// Moves factors to the outermost memory: temporal ones first, then, if necessary, spatial ones.
Score retreat(Chunk& chunk, TilingPoint& point) {
    const Mapspace& space = chunk.mapspace;
    const std::vector<Slot>& slots = space.slots();
    const int outermost = static_cast<int>(std::find(slots.begin(), slots.end(), Slot{0, false}) - slots.begin());
    Score score;
    for (const bool spatial : {false, true}) {
        for (int slot = 0; slot < static_cast<int>(slots.size()); ++slot)
            if (slots[slot].spatial == spatial && slot != outermost) empty_slot(space, point, slot, outermost);
        if (!space.parallel_enough(point)) return score;
        score = chunk.propose(point);
        if (score < Score{}) return score;
    }
    return score;
}

}  // namespace

Score draw_start(Chunk& chunk, TilingPoint& point) {
    constexpr int kMostDraws = 20'000;
    constexpr int kPatience = 2'000;
    Score score;
    for (int i = 1; i <= kMostDraws && !chunk.over(); ++i) {
        if (!chunk.mapspace.sample(chunk.random, point)) {
            chunk.dead_end();
            continue;
        }
        score = chunk.propose(point);
        if (!(score < Score{}) && i % kPatience == 0) score = retreat(chunk, point);
        if (score < Score{}) return score;
    }
    return {};
}

int moves_per_start(int moves, const Budget& budget) {
    constexpr std::int64_t kStarts = 4;
    constexpr std::int64_t kFewest = 1000;
    std::int64_t most = moves;
    if (budget.victory > 0) most = std::min(most, std::max(kFewest, budget.victory / kStarts));
    if (budget.evaluations) most = std::min(most, std::max(kFewest, *budget.evaluations / kStarts));
    return static_cast<int>(most);
}

}  // namespace tilewright
