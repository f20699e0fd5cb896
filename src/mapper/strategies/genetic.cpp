#include "mapper/strategies/genetic.hpp"

#include <algorithm>

#include "mapper/moves.hpp"

namespace tilewright {
namespace {

struct Individual {
    TilingPoint point;
    Score score;
};

class Population {
   public:
    Population(Chunk& chunk, const GeneticMapper::Options& options)
        : chunk_(chunk), space_(chunk.mapspace), options_(options), moves_(space_, chunk.random) {}

    void run() {
        if (!found()) return;
        for (int i = 0; i < options_.generations && !chunk_.over(); ++i) replace();
    }

   private:
    // Draws the first generation; false if nothing valid was found.
    bool found() {
        Individual first{space_.point(), {}};
        first.score = draw_start(chunk_, first.point);
        if (!(first.score < Score{})) return false;
        individuals_.push_back(first);
        constexpr int kDrawsEach = 20;
        const auto size = static_cast<std::size_t>(options_.population);
        for (int i = 0; i < kDrawsEach * options_.population && individuals_.size() < size && !chunk_.over(); ++i) {
            Individual next{space_.point(), {}};
            if (!space_.sample(chunk_.random, next.point)) {
                chunk_.dead_end();
                continue;
            }
            next.score = chunk_.propose(next.point);
            if (next.score < Score{}) individuals_.push_back(next);
        }
        return !moves_.none();
    }

    // The best live on; the others make room for children.
    void replace() {
        std::stable_sort(individuals_.begin(), individuals_.end(),
                         [](const Individual& one, const Individual& other) { return one.score < other.score; });
        const std::vector<Individual> parents(individuals_.begin(), individuals_.begin() + share(options_.parents));
        individuals_.erase(individuals_.begin() + share(options_.elite), individuals_.end());
        const auto size = static_cast<std::size_t>(options_.population);
        for (int i = 0; i < 4 * options_.population && individuals_.size() < size && !chunk_.over(); ++i) {
            Individual child{parents[moves_.below(parents.size())].point, {}};
            if (chance(options_.crossover)) cross(child.point, parents[moves_.below(parents.size())].point);
            vary(child.point);
            if (!space_.parallel_enough(child.point)) continue;
            child.score = chunk_.propose(child.point);
            if (child.score < Score{}) individuals_.push_back(child);
        }
    }

    // Of the individuals present; at least one.
    std::ptrdiff_t share(double share) const {
        const auto wanted = static_cast<std::ptrdiff_t>(share * options_.population);
        return std::clamp<std::ptrdiff_t>(wanted, 1, static_cast<std::ptrdiff_t>(individuals_.size()));
    }

    bool chance(double probability) { return chunk_.random.chance(probability); }

    void cross(TilingPoint& child, const TilingPoint& other) {
        const auto level = static_cast<int>(moves_.below(static_cast<std::size_t>(space_.level_count())));
        switch (moves_.below(4)) {
            case 0: child[level].order = other[level].order; break;
            case 1: child[level].keep = other[level].keep; break;
            default:
                space_.copy_factors(child, other,
                                    static_cast<int>(moves_.below(static_cast<std::size_t>(space_.dimension_count()))));
        }
    }

    void vary(TilingPoint& child) {
        constexpr int kMutations = 3;
        for (int i = 0; i < kMutations; ++i)
            if (chance(options_.mutation)) mutate(child);
        if (chance(options_.reorder)) moves_.swap_loops(child);
        if (chance(options_.growth)) moves_.grow(child);
        if (chance(options_.aging)) moves_.age(child);
    }

    void mutate(TilingPoint& child) {
        const double kind = chunk_.random.unit();
        if (kind < 0.8)
            moves_.move_factor(child);
        else if (kind < 0.9)
            moves_.redraw_layout(child);
        else
            moves_.flip_keep(child);
    }

    Chunk& chunk_;
    const Mapspace& space_;
    const GeneticMapper::Options& options_;
    const Moves moves_;
    std::vector<Individual> individuals_;
};

// A short search still has room for several populations.
GeneticMapper::Options adapted(GeneticMapper::Options options, const Budget& budget) {
    constexpr std::int64_t kPopulations = 4;
    constexpr std::int64_t kFewest = 20;
    std::int64_t generations = options.generations;
    if (budget.victory > 0)
        generations = std::min(generations, std::max(kFewest, budget.victory / kPopulations / options.population));
    options.generations = static_cast<int>(generations);
    return options;
}

}  // namespace

SearchResult GeneticMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                   const Budget& budget, const ProgressCallback& progress) const {
    const Options options = adapted(options_, budget);
    return search_in_chunks(mapspace, evaluator, objective, budget, progress,
                            [&options](Chunk& chunk) { Population(chunk, options).run(); });
}

}  // namespace tilewright
