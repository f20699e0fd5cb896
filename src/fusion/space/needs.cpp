#include "fusion/space/needs.hpp"

#include <algorithm>

namespace tilewright::fusion {

const Need* find(const Needs& needs, int tensor) {
    const auto found = std::ranges::find(needs, tensor, &Need::tensor);
    return found == needs.end() ? nullptr : &*found;
}

bool join(Steps& steps, Needs& needs, const Need& more) {
    const auto place = std::ranges::lower_bound(needs, more.tensor, {}, &Need::tensor);
    if (place == needs.end() || place->tensor != more.tensor) {
        needs.insert(place, more);
        return true;
    }
    if (place->stay != more.stay) return false;
    if (more.stay == Stay::never) return true;
    if (place->axes != more.axes || place->words_each != more.words_each || place->room_each != more.room_each)
        return false;
    if (more.stay != Stay::throughout) return place->steps == more.steps;
    for (std::size_t k = 0; k < 2; ++k) {
        const std::optional<int> both = steps.around(place->steps[k], more.steps[k]);
        if (!both) return false;
        place->steps[k] = *both;
    }
    return true;
}

std::int64_t tile_room(const Steps& steps, const Need& need) {
    return steps.longest(need.steps[0]) * steps.longest(need.steps[1]) * need.room_each;
}

namespace {

// In a tile an overlap lasts along the loop that moves in every step.
std::size_t steady(const Steps& steps, const Need& need) { return steps.is_one(need.steps[1]) ? 0 : 1; }

bool overlaps(Steps& steps, int sequence) { return steps.fresh(sequence) != sequence; }

bool has_lines(Steps& steps, const Need& need) {
    return !steps.is_one(need.steps[0]) && !steps.is_one(need.steps[1]) && overlaps(steps, need.steps[0]);
}

}  // namespace

bool may_stay(Steps& steps, const Need& need) {
    return overlaps(steps, need.steps[steady(steps, need)]) || has_lines(steps, need);
}

std::vector<Kept> ways_to_keep(Steps& steps, const Need& need) {
    const std::size_t along = steady(steps, need);
    const bool slides = overlaps(steps, need.steps[along]);
    std::vector<Kept> ways;
    if (need.stay == Stay::while_used) {
        if (!slides) ways.push_back({Keeping::tile, need.steps, tile_room(steps, need)});
        return ways;
    }
    if (need.stay == Stay::never) return ways;
    if (need.stay == Stay::resident || need.stay == Stay::between) {
        ways.push_back({Keeping::tile, need.steps, tile_room(steps, need)});
        return ways;
    }
    if (slides) {
        Kept tile{Keeping::tile, need.steps, tile_room(steps, need)};
        tile.made[along] = steps.fresh(need.steps[along]);
        ways.push_back(tile);
    }
    if (has_lines(steps, need))
        ways.push_back({Keeping::lines,
                        {steps.fresh(need.steps[0]), steps.fresh(need.steps[1])},
                        steps.longest(need.steps[0]) * steps.span(need.steps[1]) * need.room_each});
    return ways;
}

std::int64_t loaded_words(Steps& steps, const Need& need, const Kept& kept) {
    const std::int64_t along = kept.keeping == Keeping::lines ? steps.span(need.steps[1]) : steps.total(kept.made[1]);
    return steps.total(kept.made[0]) * along * need.words_each;
}

}  // namespace tilewright::fusion
