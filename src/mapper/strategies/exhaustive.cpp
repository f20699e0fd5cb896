#include "mapper/strategies/exhaustive.hpp"

#include <limits>

#include "mapper/blocks.hpp"
#include "mapper/chunks.hpp"
#include "mapspace/variants.hpp"

namespace tilewright {
namespace {

// The fit of tensors does not depend on orders: one order settles it for all.
void visit_orders(Chunk& chunk, const Block& block, TilingPoint& point) {
    chunk.propose(point, 0.0);
    if (!chunk.last_was_valid()) return chunk.skip_invalid(block.orders - 1);
    OrderWalk orders(chunk.mapspace, point);
    for (std::int64_t i = 1; i < block.orders && !chunk.over(); ++i) {
        orders.next();
        chunk.propose(point, 0.0);
    }
}

void visit(Chunk& chunk, const Block& block) {
    TilingPoint point = block.point;
    KeepWalk keeps(chunk.mapspace, point);
    do {
        TilingPoint kept = point;
        visit_orders(chunk, block, kept);
    } while (!chunk.over() && keeps.next());
}

}  // namespace

SearchResult ExhaustiveMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator,
                                      const Objective& objective, const Budget& budget,
                                      const ProgressCallback& progress) const {
    Budget whole = budget;
    whole.victory = 0;
    whole.fruitless = std::numeric_limits<std::int64_t>::max();
    const double limit = static_cast<double>(budget.largest_space);
    SearchResult result;
    const double size = mapspace.problem().empty() ? count_mappings(mapspace, limit, Interrupt(budget.stop, {})) : 0.0;
    if (limit > 0.0 && size > limit) {
        result.stopped = StopReason::too_large;
    } else {
        Blocks blocks(mapspace, evaluator);
        const Work work{
            [](Chunk& chunk) {
                for (const Block& block : chunk.blocks)
                    if (!chunk.over()) visit(chunk, block);
            },
            [&blocks](std::vector<Block>& dealt, const Interrupt& interrupt) { return blocks.deal(dealt, interrupt); }};
        const ProgressCallback with_size = [&](const Progress& now) {
            Progress sized = now;
            sized.space = size;
            progress(sized);
        };
        if (progress) with_size({});
        result =
            search_in_chunks(mapspace, evaluator, objective, whole, progress ? with_size : ProgressCallback(), work);
        if (result.stopped == StopReason::finished) result.stopped = StopReason::exhausted;
    }
    result.space = size;
    return result;
}

namespace {

using Keeps = std::array<TensorSet, kMaxMemories>;

// Costs the first order with every choice of kept tensors; returns the fitting choices.
std::vector<Keeps> visit_keeps(Chunk& chunk, TilingPoint point) {
    std::vector<Keeps> fitting;
    KeepWalk keeps(chunk.mapspace, point);
    do {
        chunk.propose(point, 0.0);
        if (!chunk.last_was_valid()) continue;
        Keeps& kept = fitting.emplace_back();
        for (int l = 0; l < point.level_count(); ++l) kept[l] = point[l].keep;
    } while (!chunk.over() && keeps.next());
    return fitting;
}

void visit_pruned(Chunk& chunk, const Block& block) {
    const std::vector<Keeps> fitting = visit_keeps(chunk, block.point);
    if (fitting.empty()) return;
    TilingPoint point = block.point;
    OrderWalk orders(chunk.mapspace, point);
    for (std::int64_t i = 1; i < block.orders; ++i) {
        orders.next();
        for (const Keeps& kept : fitting) {
            if (chunk.over()) return;
            for (int l = 0; l < point.level_count(); ++l) point[l].keep = kept[l];
            chunk.propose(point, 0.0);
        }
    }
}

}  // namespace

SearchResult LinearPrunedMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator,
                                        const Objective& objective, const Budget& budget,
                                        const ProgressCallback& progress) const {
    Blocks blocks(mapspace, evaluator);
    const Work work{
        [](Chunk& chunk) {
            for (const Block& block : chunk.blocks)
                if (!chunk.over()) visit_pruned(chunk, block);
        },
        [&blocks](std::vector<Block>& dealt, const Interrupt& interrupt) { return blocks.deal(dealt, interrupt); }};
    SearchResult result = search_in_chunks(mapspace, evaluator, objective, budget, progress, work);
    // The rest is illegal.
    if (result.stopped == StopReason::finished) result.stopped = StopReason::exhausted;
    return result;
}

SearchResult RandomMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                  const Budget& budget, const ProgressCallback& progress) const {
    return search_in_chunks(mapspace, evaluator, objective, budget, progress, [](Chunk& chunk) {
        constexpr int kDrawsAtOnce = 4096;
        TilingPoint point = chunk.mapspace.point();
        for (int i = 0; i < kDrawsAtOnce && !chunk.over(); ++i) {
            if (chunk.mapspace.sample(chunk.random, point))
                chunk.propose(point, 0.0);
            else
                chunk.dead_end();
        }
    });
}

}  // namespace tilewright
