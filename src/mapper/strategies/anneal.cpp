#include "mapper/strategies/anneal.hpp"

#include <algorithm>
#include <cmath>

#include "mapper/moves.hpp"

namespace tilewright {
namespace {

bool change(const Moves& moves, Random& random, TilingPoint& point) {
    const double kind = random.unit();
    if (kind < 0.4) return moves.move_factor(point);
    if (kind < 0.65) return moves.swap_factors(point);
    if (kind < 0.8) return moves.swap_loops(point);
    if (kind < 0.9) return moves.move_loop(point);
    if (kind < 0.95) return moves.redraw_layout(point);
    return moves.flip_keep(point);
}

void anneal(Chunk& chunk, const AnnealMapper::Options& options) {
    TilingPoint now = chunk.mapspace.point();
    Score score = draw_start(chunk, now);
    const Moves moves(chunk.mapspace, chunk.random);
    if (!(score < Score{}) || moves.none()) return;
    TilingPoint trial = now;
    const double cooling = std::log(options.last_temperature / options.first_temperature);
    for (int i = 0; i < options.moves && !chunk.over(); ++i) {
        trial = now;
        if (!change(moves, chunk.random, trial) || !chunk.mapspace.parallel_enough(trial)) continue;
        // Metropolis' rule with its random number drawn first: scores above the limit need not be exact.
        const double temperature = options.first_temperature * std::exp(cooling * i / options.moves);
        const double limit = score.value * std::pow(1.0 - chunk.random.unit(), -temperature);
        const Score changed = chunk.propose(trial, limit);
        if (!(changed < Score{}) || changed.value > limit) continue;
        now = trial;
        score = changed;
    }
}

AnnealMapper::Options adapted(AnnealMapper::Options options, const Budget& budget) {
    options.moves = moves_per_start(options.moves, budget);
    return options;
}

}  // namespace

SearchResult AnnealMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                  const Budget& budget, const ProgressCallback& progress) const {
    const Options options = adapted(options_, budget);
    return search_in_chunks(mapspace, evaluator, objective, budget, progress,
                            [&options](Chunk& chunk) { anneal(chunk, options); });
}

}  // namespace tilewright
