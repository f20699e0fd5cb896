#include "mapper/strategies/linear_pruned.hpp"

#include "mapper/blocks.hpp"
#include "mapspace/variants.hpp"

namespace tilewright {
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

}  // namespace tilewright
