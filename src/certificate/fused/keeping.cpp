#include "certificate/fused/keeping.hpp"

#include <algorithm>

#include "certificate/fused/space.hpp"
#include "model/fused/windows.hpp"

namespace tilewright::certificate::fused_proof {
namespace {

Walk walk_of(std::vector<tilewright::Interval> steps) {
    Walk walk{std::move(steps)};
    std::optional<tilewright::Interval> all;
    for (const tilewright::Interval& one : walk.steps) {
        if (one.empty()) continue;
        const std::int64_t length = one.high - one.low + 1;
        walk.longest = std::max(walk.longest, length);
        walk.total += length;
        ++walk.how_often[length];
        all = all ? tilewright::Interval{std::min(all->low, one.low), std::max(all->high, one.high)} : one;
    }
    if (all) walk.span = all->high - all->low + 1;
    return walk;
}

Kept tile(const Walks& walks, const Need& need, const std::array<int, 2>& made) {
    return {made, tile_bits(walks, need), walks[made[0]].total * walks[made[1]].total * need.words_each};
}

}  // namespace

int Walks::number_of(std::vector<tilewright::Interval> steps) {
    std::vector<std::int64_t> key;
    for (tilewright::Interval& one : steps) {
        if (one.empty()) one = tilewright::Interval{};
        key.push_back(one.low);
        key.push_back(one.high);
    }
    const auto [entry, is_new] = numbers_.try_emplace(std::move(key), static_cast<int>(walks_.size()));
    if (is_new) walks_.push_back(walk_of(std::move(steps)));
    return entry->second;
}

int Walks::even(std::int64_t extent, std::int64_t step) {
    std::vector<tilewright::Interval> steps;
    for (std::int64_t low = 0; low < extent; low += step) steps.push_back({low, std::min(low + step, extent) - 1});
    return number_of(std::move(steps));
}

int Walks::reached(int walk, int einsum, int operand, int axis, int dimension) {
    const auto [entry, is_new] = reached_.try_emplace({walk, einsum, operand, axis, dimension});
    if (!is_new) return entry->second;
    const CascadeEinsum& one = cascade_.einsums[place(einsum)];
    const CascadeTensor& tensor = cascade_.tensors[place(one.accesses[place(operand)].tensor)];
    std::vector<tilewright::Interval> steps;
    for (const tilewright::Interval& interval : (*this)[walk].steps) {
        fused::Iterations iterations = fused::all_iterations(one.einsum);
        iterations[place(dimension)] = interval;
        const auto box = interval.empty() ? std::nullopt : fused::touched(one, operand, iterations, tensor);
        steps.push_back(box ? (*box)[place(axis)] : tilewright::Interval{});
    }
    return entry->second = number_of(std::move(steps));
}

int Walks::fresh(int walk) {
    const auto [entry, is_new] = fresh_.try_emplace(walk);
    if (!is_new) return entry->second;
    std::vector<tilewright::Interval> steps = (*this)[walk].steps;
    std::int64_t end = 0;  // of what there was
    for (tilewright::Interval& one : steps) {
        if (one.empty()) continue;
        one.low = std::max(one.low, end);
        end = std::max(end, one.high + 1);
    }
    return entry->second = number_of(std::move(steps));
}

std::optional<int> Walks::around(int a, int b) {
    if (a == b) return a;
    std::vector<tilewright::Interval> steps = (*this)[a].steps;
    if ((*this)[b].steps.size() != steps.size()) return std::nullopt;
    tilewright::Interval last{0, 0};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const tilewright::Interval& other = (*this)[b].steps[i];
        if (steps[i].empty()) steps[i] = other;
        if (other.empty() && steps[i].empty()) continue;
        if (!other.empty()) steps[i] = {std::min(steps[i].low, other.low), std::max(steps[i].high, other.high)};
        if (steps[i].low < last.low || steps[i].high < last.high) return std::nullopt;
        last = steps[i];
    }
    return number_of(std::move(steps));
}

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
