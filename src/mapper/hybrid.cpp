#include "mapper/hybrid.hpp"

#include <algorithm>
#include <bit>

#include "mapper/chunks.hpp"

namespace tilewright {
namespace {

// One start: the mapping at hand and how it is changed.
class Start {
   public:
    Start(Chunk& chunk, const HybridMapper::Options& options)
        : chunk_(chunk), space_(chunk.mapspace), options_(options), now_(space_.point()), trial_(now_) {
        for (int d = 0; d < space_.dimension_count(); ++d)
            if (!space_.primes(d).empty()) dimensions_.push_back(d);
    }

    void run() {
        if (!draw()) return;
        sweep();
        if (!dimensions_.empty()) anneal();
        if (!chunk_.best) return;
        now_ = *chunk_.best;
        score_ = chunk_.best_score;
        sweep();
    }

   private:
    bool draw() {
        constexpr int kDraws = 20'000;
        constexpr int kPatience = 2'000;
        for (int i = 1; i <= kDraws && !chunk_.over(); ++i) {
            if (!space_.sample(chunk_.random, now_)) {
                chunk_.dead_end();
                continue;
            }
            if (take()) return true;
            if (i % kPatience == 0 && retreat()) return true;
        }
        return false;
    }

    bool take() {
        score_ = chunk_.propose(now_);
        return score_ < Score{};
    }

    // Makes tiles as small as they get: factors go to the outermost memory's loops, temporal ones first, then spatial
    // ones.
    bool retreat() {
        const std::vector<Slot>& slots = space_.slots();
        const int outermost = static_cast<int>(std::find(slots.begin(), slots.end(), Slot{0, false}) - slots.begin());
        for (const bool spatial : {false, true}) {
            for (int slot = 0; slot < static_cast<int>(slots.size()); ++slot)
                if (slots[slot].spatial == spatial) empty_slot(slot, outermost);
            if (space_.parallel_enough(now_) && take()) return true;
        }
        return false;
    }

    void empty_slot(int from, int to) {
        for (const int d : dimensions_) space_.empty_slot(now_, d, from);
        for (const int d : dimensions_)
            for (const std::int32_t prime : space_.primes(d))
                while (space_.move_factor(now_, d, prime, from, to)) continue;
    }

    // Costs the trial and takes it over when it is better.
    bool improve() {
        if (chunk_.over()) return false;
        const Score score = chunk_.propose(trial_);
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

    // Brings the movable loops that run more than once together, innermost first; returns how many there are.
    int gather_loops(int level) {
        PerfectLevel& l = now_[level];
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
                move_loop(trial_[level], space_.first_movable(level), from, to);
                improved = improve() || improved;
            }
        return improved;
    }

    static void move_loop(PerfectLevel& level, int first, int from, int to) {
        const auto order = level.order.begin() + first;
        if (from < to)
            std::rotate(order + from, order + from + 1, order + to + 1);
        else
            std::rotate(order + to, order + from, order + from + 1);
    }

    bool sweep_keeps(int level) {
        bool improved = false;
        for (std::uint32_t left = space_.free_tensors(level).bits(); left != 0; left &= left - 1) {
            trial_ = now_;
            flip(trial_[level], std::countr_zero(left));
            improved = improve() || improved;
        }
        return improved;
    }

    static void flip(PerfectLevel& level, int tensor) {
        level.keep = TensorSet::from_bits(level.keep.bits() ^ (1U << tensor));
    }

    void anneal() {
        Score current = score_;
        for (int i = 0; i < options_.moves && !chunk_.over(); ++i) {
            trial_ = now_;
            if (!change() || !space_.parallel_enough(trial_)) continue;
            const Score score = chunk_.propose(trial_);
            const double progress = static_cast<double>(i) / options_.moves;
            const double tolerance = options_.first_tolerance * (1.0 - progress) * (1.0 - progress);
            if (score.value > current.value * (1.0 + tolerance * chunk_.random.unit())) continue;
            now_ = trial_;
            current = score;
        }
        score_ = current;
    }

    // One random change of the trial; false when it came to nothing.
    bool change() {
        const double kind = chunk_.random.unit();
        if (kind < 0.65 && space_.has_remainders()) return redraw_factors(kind < 0.45 ? 1 : 2);
        if (kind < 0.45) return move_factor(random_dimension(), random_slot(), random_slot());
        if (kind < 0.65) return exchange();
        if (kind < 0.9) return move_random_loop();
        if (kind < 0.95) return turn_random_loop();
        return flip_random_tensor();
    }

    int random_dimension() { return dimensions_[below(dimensions_.size())]; }
    int random_slot() { return static_cast<int>(below(space_.slots().size())); }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(chunk_.random.below(bound)); }

    bool move_factor(int dimension, int from, int to) {
        const std::vector<std::int32_t>& primes = space_.primes(dimension);
        return space_.move_factor(trial_, dimension, primes[below(primes.size())], from, to);
    }

    // Of so many dimensions, picked at random.
    bool redraw_factors(int count) {
        bool changed = false;
        for (int i = 0; i < count; ++i)
            changed = space_.redraw_factors(chunk_.random, trial_, random_dimension()) || changed;
        return changed;
    }

    bool exchange() {
        const int from = random_slot();
        const int to = random_slot();
        return move_factor(random_dimension(), from, to) && move_factor(random_dimension(), to, from);
    }

    bool move_random_loop() {
        const int level = static_cast<int>(below(static_cast<std::size_t>(space_.level_count())));
        const std::size_t count = space_.movable(level).size();
        if (count < 2) return false;
        const int from = static_cast<int>(below(count));
        const int to = static_cast<int>(below(count));
        const int first = space_.first_movable(level);
        if (from == to || trial_[level].temporal[trial_[level].order[first + from]] == 1) return false;
        move_loop(trial_[level], first, from, to);
        return true;
    }

    bool turn_random_loop() {
        const int level = static_cast<int>(below(static_cast<std::size_t>(space_.level_count())));
        const int dimension = random_dimension();
        return trial_[level].spatial[dimension] > 1 && space_.turn(trial_, level, dimension);
    }

    bool flip_random_tensor() {
        const int level = static_cast<int>(below(static_cast<std::size_t>(space_.level_count())));
        const TensorSet free = space_.free_tensors(level);
        const int tensor = static_cast<int>(below(kMaxTensors));
        if (!free.has(tensor)) return false;
        flip(trial_[level], tensor);
        return true;
    }

    Chunk& chunk_;
    const Mapspace& space_;
    const HybridMapper::Options& options_;
    PerfectPoint now_;
    PerfectPoint trial_;
    Score score_;
    std::vector<int> dimensions_;  // those with anything to move
};

// A search that is soon over had better cool down several times than be caught hot.
HybridMapper::Options adapted(HybridMapper::Options options, const Budget& budget) {
    constexpr std::int64_t kStarts = 4;
    constexpr std::int64_t kFewest = 1000;
    std::int64_t moves = options.moves;
    if (budget.victory > 0) moves = std::min(moves, std::max(kFewest, budget.victory / kStarts));
    if (budget.evaluations) moves = std::min(moves, std::max(kFewest, *budget.evaluations / kStarts));
    options.moves = static_cast<int>(moves);
    return options;
}

}  // namespace

SearchResult HybridMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                  const Budget& budget, const ProgressCallback& progress) const {
    const Options options = adapted(options_, budget);
    return search_in_chunks(mapspace, evaluator, objective, budget, progress,
                            [&options](Chunk& chunk) { Start(chunk, options).run(); });
}

}  // namespace tilewright
