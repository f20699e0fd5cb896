#include "certificate/fused/keeping.hpp"

#include <algorithm>

namespace tilewright::certificate::fused_proof {
namespace {

Kept tile(const Walks& walks, const Need& need, const std::array<int, 2>& made) {
    return {made, tile_bits(walks, need), walks[made[0]].total * walks[made[1]].total * need.words_each};
}

}  // namespace

bool add(Walks& walks, Needs& needs, const Need& more) {
    const auto there = std::ranges::lower_bound(needs, more.tensor, {}, &Need::tensor);
    if (there == needs.end() || there->tensor != more.tensor) {
        needs.insert(there, more);
        return true;
    }
    if (there->stay != more.stay) return false;
    if (more.stay == Stay::not_shared) return true;
    if (there->axes != more.axes || there->words_each != more.words_each) return false;
    if (more.stay != Stay::throughout) return there->steps == more.steps;
    const std::optional<int> outer = walks.around(there->steps[0], more.steps[0]);
    const std::optional<int> inner = walks.around(there->steps[1], more.steps[1]);
    if (!outer || !inner) return false;
    there->steps = {*outer, *inner};
    return true;
}

std::int64_t tile_bits(const Walks& walks, const Need& need) {
    return walks[need.steps[0]].longest * walks[need.steps[1]].longest * need.bits_each;
}

// A tile keeps an overlap along the loop that moves in every step: the inner one, where it has several.
std::vector<Kept> ways_to_keep(Walks& walks, const Need& need) {
    if (need.stay == Stay::not_shared) return {};
    if (need.stay == Stay::for_all_steps || need.stay == Stay::for_inner) return {tile(walks, need, need.steps)};
    const bool inner_moves = !walks.is_one_step(need.steps[1]);
    const std::size_t moving = inner_moves ? 1 : 0;
    const bool slides = walks.overlaps(need.steps[moving]);
    std::vector<Kept> ways;
    if (need.stay == Stay::while_used) {
        if (!slides) ways.push_back(tile(walks, need, need.steps));
        return ways;
    }
    std::array<int, 2> made = need.steps;
    made[moving] = walks.fresh(need.steps[moving]);
    if (slides) ways.push_back(tile(walks, need, made));
    if (inner_moves && !walks.is_one_step(need.steps[0]) && walks.overlaps(need.steps[0])) {
        made = {walks.fresh(need.steps[0]), walks.fresh(need.steps[1])};
        const std::int64_t line = walks[need.steps[1]].span;
        ways.push_back({made, walks[need.steps[0]].longest * line * need.bits_each,
                        walks[made[0]].total * line * need.words_each});
    }
    return ways;
}

}  // namespace tilewright::certificate::fused_proof
