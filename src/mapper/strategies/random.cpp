#include "mapper/strategies/random.hpp"

#include "mapper/chunks.hpp"

namespace tilewright {

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
