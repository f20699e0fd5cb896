#include "maestro/mapper/trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numbers/factors.hpp"

namespace tilewright::dataflow {
namespace {

double excess_of(std::int64_t needed, const std::optional<std::int64_t>& there) {
    if (!there || needed <= *there) return 0.0;
    return static_cast<double>(needed) / static_cast<double>(std::max<std::int64_t>(*there, 1)) - 1.0;
}

}  // namespace

Trial::Trial(const Terms& terms, std::unique_ptr<Judge> judge, std::uint64_t seed, std::int64_t evaluations)
    : terms_(terms), judge_(std::move(judge)), random_(seed), most_(evaluations) {}

bool Trial::over() {
    if (!cut_short_ && spent_ < most_ && spent_ % 16 == 0) cut_short_ = terms_.limits.reached();
    return cut_short_ || spent_ >= most_;
}

Fitness Trial::judge(const Dataflow& dataflow) {
    ++spent_;
    ++best_.evaluations;
    const Verdict verdict = judge_->judge(dataflow);
    if (!verdict.counted || (terms_.search.legal && !verdict.legal)) return {};
    const Fitness fitness{
        excess_of(verdict.l1_bytes, terms_.hardware.l1_bytes) + excess_of(verdict.l2_bytes, terms_.hardware.l2_bytes),
        terms_.search.objective.score(verdict.energy, verdict.cycles)};
    if (fitness.excess == 0.0 && fitness.score < best_.score) {
        best_.dataflow = dataflow;
        best_.verdict = verdict;
        best_.score = fitness.score;
    }
    return fitness;
}

// Our dataflow search: annealed walks, then a descent over every change of one tile, order, spatial dimension or
// cluster.

namespace {

// Evaluations of a walk; the last tenth is the descent's.
constexpr std::int64_t kWalk = 2500;
constexpr double kHot = 0.4;  // a dataflow that is e^0.4 worse is taken with probability 1/e
constexpr double kCold = 0.004;

// Acceptance uses its differences: ratios of scores, and excess as a steep slope.
double height(const Fitness& fitness) {
    if (!std::isfinite(fitness.excess)) return std::numeric_limits<double>::infinity();
    return std::log(std::max(fitness.score.value, 1.0)) + 4.0 * std::log1p(fitness.excess) +
           (fitness.excess > 0.0 ? 0.1 : 0.0);
}

void change(Genome& genome, const GenomeSpace& space, Random& random) {
    const std::uint64_t draw = random.below(20);
    if (draw < 9) return mutate_tile(genome, space, random);
    if (draw < 13) return reorder(genome, space, random);
    if (draw < 15) return mutate_spatial(genome, space, random);
    if (draw < 18 && genome.size() > 1) return mutate_clusters(genome, space, random);
    if (draw < 19) return grow(genome, space, random);
    age(genome, space, random);
}

Candidate start(Trial& trial) {
    Candidate best;
    for (int i = 0; (i < 32 || !std::isfinite(height(best.fitness))) && !trial.over(); ++i) {
        Candidate one{random_genome(trial.space(), trial.random()), {}};
        one.fitness = trial.judge(one.genome);
        if (best.genome.empty() || height(one.fitness) < height(best.fitness)) best = std::move(one);
    }
    return best;
}

Candidate walk(Trial& trial, std::int64_t steps) {
    Candidate now = start(trial);
    Candidate best = now;
    for (std::int64_t i = 0; i < steps && !trial.over(); ++i) {
        const double progress = static_cast<double>(i) / static_cast<double>(steps);
        const double temperature = kHot * std::pow(kCold / kHot, progress);
        Candidate next{now.genome, {}};
        change(next.genome, trial.space(), trial.random());
        if (trial.random().chance(0.3)) change(next.genome, trial.space(), trial.random());
        next.fitness = trial.judge(next.genome);
        const double worse = height(next.fitness) - height(now.fitness);
        if (!(worse <= 0.0) && !trial.random().chance(std::exp(-worse / temperature))) continue;
        now = std::move(next);
        if (now.fitness < best.fitness) best = now;
    }
    return best;
}

// Candidate tiles: divisors, and the minimum tile for each number of steps up to 16.
std::vector<std::int64_t> tiles_for(std::int64_t extent) {
    std::vector<std::int64_t> tiles = divisors(extent);
    for (std::int64_t steps = 2; steps <= 16 && steps < extent; ++steps) tiles.push_back((extent + steps - 1) / steps);
    return tiles;
}

class Descent {
   public:
    Descent(Trial& trial, Candidate& at) : trial_(trial), at_(at) {}

    void run() {
        while (!trial_.over() && round()) {
        }
    }

   private:
    bool round() {
        bool better = false;
        for (std::size_t level = 0; level < at_.genome.size(); ++level) {
            better = tiles(level) || better;
            better = orders(level) || better;
            better = spatial(level) || better;
        }
        return better;
    }

    bool attempt(Genome genome) {
        if (trial_.over()) return false;
        repair(genome, trial_.space());
        const Fitness fitness = trial_.judge(genome);
        if (!(fitness < at_.fitness)) return false;
        at_ = {std::move(genome), fitness};
        return true;
    }

    bool tiles(std::size_t level) {
        bool better = false;
        for (std::size_t gene = 0; gene < at_.genome[level].genes.size(); ++gene)
            for (const std::int64_t tile : tiles_for(trial_.space().extents[at_.genome[level].genes[gene].axis])) {
                Genome next = at_.genome;
                next[level].genes[gene].tile = tile;
                better = attempt(std::move(next)) || better;
            }
        return better;
    }

    bool orders(std::size_t level) {
        bool better = false;
        const std::size_t genes = at_.genome[level].genes.size();
        for (std::size_t i = 0; i < genes; ++i)
            for (std::size_t j = i + 1; j < genes; ++j) {
                Genome next = at_.genome;
                std::swap(next[level].genes[i], next[level].genes[j]);
                better = attempt(std::move(next)) || better;
            }
        return better;
    }

    bool spatial(std::size_t level) {
        bool better = false;
        for (const Axis axis : trial_.space().axes) {
            Genome next = at_.genome;
            next[level].spatial = axis;
            better = attempt(std::move(next)) || better;
        }
        if (level == 0) return better;
        for (const std::int64_t clusters : tiles_for(trial_.space().units)) {
            Genome next = at_.genome;
            next[level].clusters = clusters;
            better = attempt(std::move(next)) || better;
        }
        return better;
    }

    Trial& trial_;
    Candidate& at_;
};

}  // namespace

void anneal(Trial& trial) {
    while (!trial.over()) {
        const std::int64_t steps = std::min(kWalk, std::max<std::int64_t>(trial.left() * 7 / 10, 1));
        Candidate at = walk(trial, steps);
        if (!at.genome.empty()) Descent(trial, at).run();
    }
}

}  // namespace tilewright::dataflow
