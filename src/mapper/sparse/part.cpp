#include "mapper/sparse/part.hpp"

#include "mapper/blocks.hpp"
#include "mapper/moves.hpp"
#include "model/sparse/sparse_model.hpp"

namespace tilewright::sparse {
namespace {

bool change(const Moves& moves, TilingPoint& point) {
    switch (moves.below(4)) {
        case 0: return moves.swap_factors(point);
        case 1: return moves.swap_loops(point) || moves.move_factor(point);
        case 2: return moves.move_loop(point) || moves.move_factor(point);
        default: return moves.move_factor(point);
    }
}

}  // namespace

bool Counting::offer(const FoundMapping& found, std::size_t part) {
    const LayerProblem& layer = problem_.layer;
    const std::optional<Mapping> mapping = mapping_of(found, layer.einsum);
    if (!mapping || !check(layer.einsum, layer.architecture, *mapping, problem_.design).empty()) return false;
    ++counted_;
    const ExactResult exact = evaluate(layer.einsum, layer.architecture, *mapping, problem_.design);
    if (!exact.uncounted.empty()) {
        uncounted_ = exact.uncounted;
        return false;
    }
    const LeanCost cost{std::nullopt, exact.evaluation.energy_pj, exact.evaluation.cycles};
    const Score score = objective_.score(cost.energy_pj, cost.cycles);
    if (best_.mapping && !(score < best_.score)) return false;
    best_ = {found, cost, score, part};
    return true;
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
        if (part.may_beat(point, counting.best())) counting.offer({point}, number);
    }
}

bool see_all(const Part& part, std::size_t number, double most, const Interrupt& interrupt, Counting& counting) {
    constexpr std::int64_t kMostCounted = 20'000;
    if (!(most > 0.0) || count_mappings(part.mapspace, most, interrupt) > most) return false;
    const std::int64_t begin = counting.counted();
    return part.mapspace.enumerate([&](const TilingPoint& point) {
        if (interrupt.requested() || counting.counted() - begin >= kMostCounted) return false;
        if (part.may_beat(point, counting.best())) counting.offer({point}, number);
        return true;
    });
}

}  // namespace tilewright::sparse
