// GAMMA: a genetic algorithm with operators of its own for mappings (Kao and Krishna: GAMMA: automating the HW mapping
// of DNN models on accelerators via genetic algorithm, ICCAD 2020, section 4): crossover, mutation of tiles and of the
// spatial dimension, reordering, growth (another cluster level) and aging (one less).
#include <algorithm>
#include <cmath>

#include "maestro/mapper/trial.hpp"

namespace tilewright::dataflow {
namespace {

// Rates are ours; the paper has none.
constexpr std::size_t kPopulation = 100;
constexpr std::size_t kElites = 5;
constexpr std::size_t kParents = 40;  // breeding elite
constexpr double kCrossover = 0.6;
constexpr double kMutation = 0.5;
constexpr double kReordering = 0.4;
constexpr double kGrowth = 0.1;
constexpr double kAging = 0.1;

Genome child_of(const std::vector<Candidate>& sorted, const GenomeSpace& space, Random& random) {
    const std::size_t parents = std::min(kParents, sorted.size());
    Genome child = sorted[random.below(parents)].genome;
    const Genome& other = sorted[random.below(parents)].genome;
    if (random.chance(kCrossover)) cross(child, other, space, random);
    if (random.chance(kMutation)) mutate_tile(child, space, random);
    if (random.chance(kMutation)) mutate_tile(child, space, random);
    if (random.chance(kMutation / 2)) mutate_spatial(child, space, random);
    if (random.chance(kMutation / 2)) mutate_clusters(child, space, random);
    if (random.chance(kReordering)) reorder(child, space, random);
    if (random.chance(kGrowth)) grow(child, space, random);
    if (random.chance(kAging)) age(child, space, random);
    return child;
}

void sort_best_first(std::vector<Candidate>& population) {
    std::stable_sort(population.begin(), population.end(),
                     [](const Candidate& a, const Candidate& b) { return a.fitness < b.fitness; });
}

}  // namespace

void evolve(const GenomeSpace& space, Random& random, std::int64_t evaluations,
            const std::function<bool(std::vector<Candidate>&)>& judge_all) {
    const std::size_t size = std::clamp<std::size_t>(static_cast<std::size_t>(evaluations) / 20, 1, kPopulation);
    const std::size_t elites = std::min(kElites, size / 4);
    std::vector<Candidate> population(size);
    for (Candidate& one : population) one.genome = random_genome(space, random);
    while (judge_all(population)) {
        sort_best_first(population);
        std::vector<Candidate> children(population.begin(), population.begin() + static_cast<std::ptrdiff_t>(elites));
        while (children.size() < size) children.push_back({child_of(population, space, random), {}});
        population = std::move(children);
    }
}

}  // namespace tilewright::dataflow
