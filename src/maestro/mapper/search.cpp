#include "maestro/mapper/search.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/numbers/checked.hpp"
#include "maestro/account/printed.hpp"
#include "maestro/mapper/trial.hpp"

namespace tilewright::dataflow {
namespace {

// Concurrent walks, given enough evaluations: independent of the number of threads.
constexpr std::int64_t kIslands = 8;
constexpr std::int64_t kIsland = 2000;

// `work(i)` for all i below `count`.
template <typename Work>
void in_parallel(std::size_t count, int threads, const Work& work) {
    const int all = tbb::info::default_concurrency();
    tbb::task_arena arena(threads > 0 ? threads : all);
    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(std::max(threads, all)));
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, work); });
}

// Best of all trials; on ties the first.
class Searching {
   public:
    Searching(const Terms& terms, const Judge& judge, const DataflowProgress& progress)
        : terms_(terms), judge_(judge), progress_(progress) {}

    FoundDataflow run() {
        const DataflowSearch& search = terms_.search;
        Trial known(terms_, judge_.another(), search.seed, search.evaluations);
        for (const Dataflow& start : search.starts)
            if (!known.over()) known.judge(start);
        take(known);
        if (search.strategy == DataflowStrategy::gamma)
            run_gamma(known.left());
        else
            run_islands(known.left());
        return std::move(best_);
    }

   private:
    void take(const Trial& trial) {
        best_.evaluations += trial.spent();
        best_.cut_short = best_.cut_short || trial.cut_short();
        if (trial.best().dataflow && (!best_.dataflow || trial.best().score < best_.score)) {
            best_.dataflow = trial.best().dataflow;
            best_.verdict = trial.best().verdict;
            best_.score = trial.best().score;
        }
    }

    static std::int64_t share(std::int64_t evaluations, std::int64_t index, std::int64_t count) {
        return evaluations / count + (index < evaluations % count ? 1 : 0);
    }

    void run_islands(std::int64_t evaluations) {
        const std::int64_t islands = std::clamp<std::int64_t>(evaluations / kIsland, 1, kIslands);
        std::vector<std::unique_ptr<Trial>> trials;
        for (std::int64_t i = 0; i < islands; ++i)
            trials.push_back(std::make_unique<Trial>(terms_, judge_.another(),
                                                     Random::split(terms_.search.seed, static_cast<std::uint64_t>(i)),
                                                     share(evaluations, i, islands)));
        std::mutex one_at_a_time;
        FoundDataflow so_far = best_;
        in_parallel(trials.size(), terms_.search.threads, [&](std::size_t i) {
            anneal(*trials[i]);
            if (!progress_) return;
            const std::lock_guard lock(one_at_a_time);
            so_far.evaluations += trials[i]->spent();
            if (const FoundDataflow& best = trials[i]->best(); best.dataflow && best.score < so_far.score) {
                so_far.dataflow = best.dataflow;
                so_far.verdict = best.verdict;
                so_far.score = best.score;
            }
            progress_(so_far);
        });
        for (const auto& trial : trials) take(*trial);
    }

    void run_gamma(std::int64_t evaluations) {
        Random random(Random::split(terms_.search.seed, 0));
        std::int64_t left = evaluations;
        evolve(terms_.space, random, evaluations, [&](std::vector<Candidate>& population) {
            const std::int64_t before = best_.evaluations;
            judge_all(population, left);
            left -= best_.evaluations - before;
            if (progress_) progress_(best_);
            return left > 0 && !best_.cut_short;
        });
    }

    // Elites are already judged. Parts of the population are trials, in a number independent of the threads.
    void judge_all(std::vector<Candidate>& population, std::int64_t left) {
        std::vector<std::vector<Candidate*>> parts(kIslands);
        std::int64_t dealt = 0;
        for (Candidate& one : population) {
            if (std::isfinite(one.fitness.excess) || dealt == left) continue;
            parts[dealt++ % kIslands].push_back(&one);
        }
        std::vector<std::unique_ptr<Trial>> trials;
        for (const auto& part : parts)
            trials.push_back(
                std::make_unique<Trial>(terms_, judge_.another(), 0, static_cast<std::int64_t>(part.size())));
        in_parallel(trials.size(), terms_.search.threads, [&](std::size_t i) {
            for (Candidate* one : parts[i])
                if (!trials[i]->over()) one->fitness = trials[i]->judge(one->genome);
        });
        for (const auto& trial : trials) take(*trial);
    }

    const Terms& terms_;
    const Judge& judge_;
    const DataflowProgress& progress_;
    FoundDataflow best_;
};

}  // namespace

std::string_view name_of(DataflowStrategy strategy) {
    return strategy == DataflowStrategy::gamma ? "gamma" : "dataflow";
}

std::optional<DataflowStrategy> dataflow_strategy_named(std::string_view name) {
    for (const DataflowStrategy strategy : {DataflowStrategy::gamma, DataflowStrategy::anneal})
        if (name == name_of(strategy)) return strategy;
    return std::nullopt;
}

FoundDataflow search_dataflow(const Layer& layer, const Hardware& hardware, const Judge& judge,
                              const DataflowSearch& search, const SearchLimits& limits,
                              const DataflowProgress& progress) {
    const GenomeSpace space = genome_space(problem_of(layer), hardware.units, search.legal);
    const Terms terms{space, hardware, search, limits};
    return Searching(terms, judge, progress).run();
}

// GAMMA: a genetic algorithm with operators of its own for mappings (Kao and Krishna: GAMMA: automating the HW mapping
// of DNN models on accelerators via genetic algorithm, ICCAD 2020, section 4): crossover, mutation of tiles and of the
// spatial dimension, reordering, growth (another cluster level) and aging (one less).

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

namespace {

class ExactJudge : public Judge {
   public:
    ExactJudge(const Layer& layer, const Hardware& hardware, const AccessEnergy& energy)
        : layer_(layer), hardware_(hardware), energy_(energy) {}

    Verdict judge(const Dataflow& dataflow) override {
        Verdict verdict;
        try {
            const LayerCost cost = cost_of(layer_, dataflow, {}, hardware_, energy_, Beyond::refuse);
            if (!cost.counts) return verdict;
            verdict = {true,
                       cost.findings.empty(),
                       cost.counts->runtime_cycles,
                       cost.counts->operations,
                       cost.energy_operations,
                       cost.l1_bytes,
                       cost.l2_bytes};
        } catch (const OverflowError&) {
            return {};
        }
        return verdict;
    }

    std::unique_ptr<Judge> another() const override { return std::make_unique<ExactJudge>(*this); }

   private:
    Layer layer_;
    Hardware hardware_;
    AccessEnergy energy_;
};

class ToolJudge : public Judge {
   public:
    ToolJudge(const Layer& layer, const Hardware& hardware)
        : layers_{layer}, hardware_(hardware), problem_(problem_of(layer)) {}

    Verdict judge(const Dataflow& dataflow) override {
        layers_.front().dataflow = dataflow;
        Verdict verdict;
        try {
            const maestro::ToolHardware hardware = maestro::tool_hardware(hardware_);
            const maestro::ToolResult result = maestro::count(layers_, hardware);
            if (result.refused) return verdict;
            const maestro::LayerCounts& layer = result.layers.front();
            verdict.cycles = layer.top.runtime;
            verdict.operations = layer.top.operations;
            verdict.counted = verdict.cycles > 0 && verdict.operations > 0;
            verdict.energy = maestro::energy_in_macs(layer);
            verdict.l1_bytes = layer.l1_size();
            verdict.l2_bytes = layer.l2_size();
            const LevelsResult made = levels_of(dataflow, {}, request_for(problem_, hardware_.units));
            verdict.legal = made.ok() && findings(problem_, made.levels).empty();
        } catch (const OverflowError&) {
            return {};
        }
        return verdict;
    }

    std::unique_ptr<Judge> another() const override { return std::make_unique<ToolJudge>(*this); }

   private:
    std::vector<Layer> layers_;
    Hardware hardware_;
    CompleteLayer problem_;
};

}  // namespace

std::unique_ptr<Judge> exact_judge(const Layer& layer, const Hardware& hardware, const AccessEnergy& energy) {
    return std::make_unique<ExactJudge>(layer, hardware, energy);
}

std::unique_ptr<Judge> tool_judge(const Layer& layer, const Hardware& hardware) {
    return std::make_unique<ToolJudge>(layer, hardware);
}

}  // namespace tilewright::dataflow
