#include "mapper/strategies/hybrid.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "mapper/chunks.hpp"
#include "mapper/moves.hpp"
#include "mapper/optimal/bounds/space_bound.hpp"

namespace tilewright {
namespace {

// Short at first, so that even a small budget ends with an annealed mapping; then ever longer.
int moves_of(const HybridMapper::Options& options, std::uint64_t chunk) {
    constexpr std::uint64_t kDoubleEvery = 2;
    constexpr std::uint64_t kMostDoublings = 20;
    const std::int64_t moves = std::int64_t{options.first_moves} << std::min(chunk / kDoubleEvery, kMostDoublings);
    return static_cast<int>(std::min<std::int64_t>(moves, options.moves));
}

// One start: the current mapping and its moves.
class Start {
   public:
    Start(Chunk& chunk, const HybridMapper::Options& options)
        : chunk_(chunk),
          space_(chunk.mapspace),
          options_(options),
          moves_(space_, chunk.random),
          now_(space_.point()),
          trial_(now_) {}

    /// From the chunk's best mapping, or a random one.
    void run() {
        const bool goes_on = take_best();
        if (!goes_on) score_ = draw_start(chunk_, now_);
        if (!(score_ < Score{})) return;
        sweep();
        if (!moves_.none()) anneal(goes_on ? options_.low_temperature : options_.temperature);
        if (take_best()) sweep();
    }

   private:
    bool take_best() {
        if (!chunk_.best) return false;
        now_ = *chunk_.best;
        score_ = chunk_.best_score;
        return true;
    }

    bool improve() {
        if (chunk_.over()) return false;
        const Score score = chunk_.propose(trial_, score_.value);
        if (!(score < score_)) return false;
        now_ = trial_;
        score_ = score;
        return true;
    }

    void sweep() {
        bool improved = true;
        while (improved && !chunk_.over()) {
            improved = false;
            for (int l = 0; l < space_.level_count(); ++l) {
                improved = sweep_orders(l) || improved;
                improved = sweep_keeps(l) || improved;
            }
        }
    }

    // All orders of up to four loops; of more, every loop to every place.
    bool sweep_orders(int level) {
        const int count = gather_loops(level);
        if (count < 2) return false;
        return count <= 4 ? sweep_permutations(level, count) : sweep_places(level, count);
    }

    // Brings the movable loops that run more than once together, innermost first; returns their number.
    int gather_loops(int level) {
        TilingLevel& l = now_[level];
        const auto first = l.order.begin() + space_.first_movable(level);
        const auto last = first + static_cast<std::ptrdiff_t>(space_.movable(level).size());
        return static_cast<int>(std::stable_partition(first, last, [&l](int d) { return l.temporal[d] > 1; }) - first);
    }

    bool sweep_permutations(int level, int count) {
        bool improved = false;
        trial_ = now_;
        const auto first = trial_[level].order.begin() + space_.first_movable(level);
        std::sort(first, first + count);
        do {
            improved = improve() || improved;
        } while (std::next_permutation(first, first + count) && !chunk_.over());
        return improved;
    }

    bool sweep_places(int level, int count) {
        bool improved = false;
        for (int from = 0; from < count; ++from)
            for (int to = 0; to < count && !chunk_.over(); ++to) {
                if (from == to) continue;
                trial_ = now_;
                move_loop(trial_[level], space_.first_movable(level) + from, space_.first_movable(level) + to);
                improved = improve() || improved;
            }
        return improved;
    }

    bool sweep_keeps(int level) {
        bool improved = false;
        for (std::uint32_t left = space_.free_tensors(level).bits(); left != 0; left &= left - 1) {
            trial_ = now_;
            trial_[level].keep = TensorSet::from_bits(trial_[level].keep.bits() ^ (left & -left));
            improved = improve() || improved;
        }
        return improved;
    }

    // Metropolis' rule on the logarithm of the score: a worse mapping is accepted up to a limit drawn first.
    void anneal(double first_temperature) {
        Score current = score_;
        trial_ = now_;
        const int moves = moves_of(options_, chunk_.number);
        for (int i = 0; i < moves && !chunk_.over(); ++i) {
            if (!change()) continue;
            const double left = 1.0 - static_cast<double>(i) / moves;
            const double temperature = first_temperature * left * left;
            const double limit = current.value * std::pow(1.0 - chunk_.random.unit(), -temperature);
            const Score score = space_.parallel_enough(trial_) ? chunk_.propose(trial_, limit) : Score{};
            if (score < Score{} && score.value <= limit) {
                now_ = trial_;
                current = score;
            } else {
                trial_ = now_;
            }
        }
        score_ = current;
    }

    // One random change of the trial; false if it led to nothing.
    bool change() {
        const double kind = chunk_.random.unit();
        if (kind < 0.45) return moves_.move_factor(trial_);
        if (kind < 0.65) return moves_.swap_factors(trial_);
        if (kind < 0.9) return moves_.move_loop(trial_);
        if (kind < 0.95) return moves_.redraw_layout(trial_);
        return moves_.flip_keep(trial_);
    }

    Chunk& chunk_;
    const Mapspace& space_;
    const HybridMapper::Options& options_;
    const Moves moves_;
    TilingPoint now_;
    TilingPoint trial_;
    Score score_;
};

// The budget left after a first part of the search.
Budget left_of(Budget budget, const SearchStatistics& spent) {
    if (budget.evaluations) *budget.evaluations -= spent.evaluations;
    if (budget.time) *budget.time -= std::chrono::duration<double>(spent.seconds);
    return budget;
}

Budget half_of(Budget budget) {
    if (budget.evaluations) *budget.evaluations /= 2;
    if (budget.time) *budget.time /= 2.0;
    return budget;
}

// With remainders a mapping takes ten times as long to cost, and those starts begin at earlier ends.
Budget calmer(Budget budget) {
    constexpr std::int64_t kShare = 4;
    if (budget.victory > 0) budget.victory = std::max<std::int64_t>(1, budget.victory / kShare);
    return budget;
}

// The assignment with all loops in the outermost memory: nothing if outside the space.
std::optional<TilingPoint> with_loops_outermost(const Mapspace& mapspace, const LeanEvaluator& evaluator,
                                                TilingPoint point) {
    for (int d = 0; d < point.dimension_count(); ++d) {
        std::int64_t chunks = evaluator.einsum().dimensions[d].extent;
        for (int l = point.level_count() - 1; l >= 0; --l) chunks = ceil_div(chunks, point[l].spatial[d]);
        point[0].temporal[d] = static_cast<std::int32_t>(chunks);
    }
    if (evaluator.violation(point) || !mapspace.contains(point)) return std::nullopt;
    return point;
}

std::vector<TilingPoint> starts_of(const Mapspace& mapspace, const LeanEvaluator& evaluator,
                                   const std::vector<TilingPoint>& assignments) {
    std::vector<TilingPoint> starts;
    for (const TilingPoint& assignment : assignments)
        if (const auto start = with_loops_outermost(mapspace, evaluator, assignment)) starts.push_back(*start);
    return starts;
}

ProgressCallback after(const SearchStatistics& spent, const ProgressCallback& progress) {
    if (!progress) return {};
    return [&](Progress now) {
        now.statistics.add(spent);
        progress(now);
    };
}

// `result` began with the best of `first`, so its improvements and effort count.
void put_before(const SearchResult& first, SearchResult& result) {
    std::vector<Improvement> improvements = first.improvements;
    for (Improvement improvement : result.improvements) {
        if (first.best && !(improvement.score < first.score)) continue;
        improvement.evaluations += first.statistics.evaluations;
        improvement.seconds += first.statistics.seconds;
        improvements.push_back(improvement);
    }
    result.improvements = std::move(improvements);
    result.statistics.add(first.statistics);
    result.statistics.seconds += first.statistics.seconds;
}

}  // namespace

SearchResult HybridMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                  const Budget& budget, const ProgressCallback& progress) const {
    if (mapspace.has_remainders()) return search_remainders(mapspace, evaluator, objective, budget, progress);
    return search_in_chunks(mapspace, evaluator, objective, budget, progress,
                            [this](Chunk& chunk) { Start(chunk, options_).run(); });
}

SearchResult HybridMapper::search_remainders(const Mapspace& mapspace, const LeanEvaluator& evaluator,
                                             const Objective& objective, const Budget& budget,
                                             const ProgressCallback& progress) const {
    SearchResult even = search(mapspace.without_remainders(), evaluator, objective, half_of(budget), progress);
    if (even.stopped == StopReason::interrupted) return even;
    const Budget left = calmer(left_of(budget, even.statistics));
    constexpr int kStarts = 16;
    optimal::SpaceBound bound;
    if (options_.bounded) bound = optimal::bound_of_space(mapspace, evaluator, objective, kStarts, left.stop);
    const std::vector<TilingPoint> starts = starts_of(mapspace, evaluator, bound.promising);
    const auto run = [&](Chunk& chunk) {
        const auto place = static_cast<std::size_t>(chunk.number / 2);
        if (even.best && chunk.number % 2 == 0 && !chunk.over()) chunk.propose(even.best->point);
        if (chunk.number % 2 == 1 && place < starts.size() && !chunk.over()) chunk.propose(starts[place]);
        if (chunk.number == 0)
            for (const FrontPoint& point : even.front)
                if (!chunk.over()) chunk.propose(point.mapping.point);
        Start(chunk, options_).run();
    };
    SearchResult result = search_in_chunks(mapspace, evaluator, objective, left, after(even.statistics, progress), run);
    put_before(even, result);
    if (result.best && bound.least && objective.kind != ObjectiveKind::pareto)
        result.lower_bound = std::min(bound.least->value, result.score.value);
    return result;
}

}  // namespace tilewright
