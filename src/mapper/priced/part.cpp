#include "mapper/priced/part.hpp"

#include <algorithm>

#include "mapper/blocks.hpp"
#include "mapper/moves.hpp"

namespace tilewright::priced {
namespace {

bool change(const Moves& moves, TilingPoint& point) {
    switch (moves.below(4)) {
        case 0: return moves.swap_factors(point);
        case 1: return moves.swap_loops(point) || moves.move_factor(point);
        case 2: return moves.move_loop(point) || moves.move_factor(point);
        default: return moves.move_factor(point);
    }
}

std::vector<std::string> unfit(const std::vector<Violation>& violations) {
    std::vector<std::string> memories;
    for (const Violation& one : violations) {
        if (one.kind != ViolationKind::capacity && one.kind != ViolationKind::min_utilization) return {};
        memories.push_back(one.level);
    }
    return memories;
}

}  // namespace

std::vector<std::string> Counting::offer(const FoundMapping& found, std::size_t part) {
    const std::optional<Mapping> mapping = mapping_of(found, problem_.einsum);
    if (!mapping) return {};
    LayerCosts costs = costs_of(problem_, *mapping);
    if (!costs.violations.empty()) return unfit(costs.violations);
    ++counted_;
    if (!costs.evaluation) {
        uncounted_ = std::move(costs.uncounted);
        return {};
    }
    const LeanCost cost{std::nullopt, costs.evaluation->energy_pj, costs.evaluation->cycles};
    const Score score = objective_.score(cost.energy_pj, cost.cycles);
    if (keeps_front()) front_.offer(found, cost, 0);
    if (best_.mapping && !(score < best_.score)) return {};
    best_ = {found, cost, score, part};
    if (keeps_front()) return {};
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
    improvements_.push_back({counted_, since.count(), cost, score});
    return {};
}

bool Counting::may_be_better(const LeanCost& least) const {
    if (!keeps_front()) return !best_.mapping || objective_.score(least.energy_pj, least.cycles) < best_.score;
    return std::ranges::none_of(front(), [&](const FrontPoint& point) {
        return point.cost.energy_pj * kSameSum <= least.energy_pj && point.cost.cycles <= least.cycles;
    });
}

void improve(const Part& part, std::size_t number, int tries, std::uint64_t seed, const Interrupt& interrupt,
             Counting& counting) {
    constexpr std::int64_t kMostCounted = 400;
    if (!counting.best().mapping) return;
    Random random(Random::split(seed, number));
    const Moves moves(part.mapspace, random);
    if (moves.none()) return;
    const std::int64_t begin = counting.counted();
    for (int i = 0; i < tries && counting.counted() - begin < kMostCounted && !interrupt.requested(); ++i) {
        TilingPoint point = counting.best().mapping->point;
        bool changed = false;
        for (std::size_t k = 0, n = 1 + moves.below(3); k < n; ++k) changed |= change(moves, point);
        if (!changed || !part.mapspace.parallel_enough(point)) continue;
        if (part.may_beat(point, counting)) counting.offer({point}, number);
    }
}

bool see_all(const Part& part, std::size_t number, double most, const Interrupt& interrupt, Counting& counting) {
    constexpr std::int64_t kMostCounted = 20'000;
    if (!(most > 0.0) || count_mappings(part.mapspace, most, interrupt) > most) return false;
    const std::int64_t begin = counting.counted();
    return part.mapspace.enumerate([&](const TilingPoint& point) {
        if (interrupt.requested() || counting.counted() - begin >= kMostCounted) return false;
        if (part.may_beat(point, counting)) counting.offer({point}, number);
        return true;
    });
}

}  // namespace tilewright::priced
