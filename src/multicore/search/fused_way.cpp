// A good way to go through a run of several einsums, quickly: no proof, an upper bound that stands early.
#include <algorithm>
#include <numeric>

#include "multicore/search/run_search.hpp"

namespace tilewright::multicore {
namespace {

constexpr std::size_t kBeam = 2;     // prefixes of a stage
constexpr std::size_t kOptions = 4;  // of a stage, the best ones alone
constexpr int kMostSteps = 64;
constexpr int kIdleFused = 1;  // along an axis, that better nothing after one had room

// One step and its teams.
class Beam {
   public:
    Beam(const Evaluators& evaluators, const Weights& weights, Way& way, std::vector<Team> teams,
         std::int64_t& looked_at)
        : evaluators_(evaluators),
          problem_(evaluators.exact.problem()),
          weights_(weights),
          way_(way),
          teams_(std::move(teams)),
          looked_at_(looked_at) {}

    /// Something had room, but cost too much.
    bool is_dear() const { return is_dear_; }

    std::optional<FoundRun> find(double cut) {
        if (!find_options(cut)) return std::nullopt;
        std::vector<FoundRun> beam{{way_.frame.run(), {}, 0.0}};
        for (int stage = 0; stage < way_.stages() && !beam.empty(); ++stage) beam = with(stage, beam, cut);
        if (beam.empty()) return std::nullopt;
        better(beam.front());
        return beam.front();
    }

   private:
    // The best ones alone of each stage; false: they cost too much together.
    bool find_options(double cut) {
        rest_.assign(way_.stages() + 1, 0.0);
        options_.resize(way_.stages());
        for (int stage = way_.stages() - 1; stage >= 0; --stage) {
            if (weights_.cycles > 0.0 || way_.frame.leak_pj > 0.0) {
                find_by_floors(stage);
                continue;
            }
            StageOptions* all = way_.options_of(evaluators_, weights_, stage, teams_[stage]);
            if (all == nullptr) return false;
            while (options_[stage].size() < kOptions) {
                const Option* option = all->at(options_[stage].size());
                if (option == nullptr) break;
                if (options_[stage].empty())  // energies of stages add up
                    rest_[stage] = rest_[stage + 1] + option->alone.energy_pj * weights_.energy;
                options_[stage].push_back(option->stage);
            }
            is_dear_ = rest_[stage] >= cut;
            if (options_[stage].empty() || is_dear_) return false;
        }
        return true;
    }

    // Of cycles every place of every shape would be evaluated: the least floors stand for the best ones.
    void find_by_floors(int stage) {
        const int einsum = way_.frame.first + stage;
        const StageView view{evaluators_, way_.frame, weights_, einsum};
        const std::vector<FlooredShape>& shapes = way_.shapes[stage]->of_size(teams_[stage].size);
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t i = 0; i < shapes.size(); ++i) order.emplace_back(view.value_of(shapes[i].floor), i);
        std::ranges::sort(order);
        if (order.size() > kOptions) order.resize(kOptions);
        const std::vector<std::uint32_t> streams = streams_of(problem_, einsum, way_.frame.first);
        for (const auto& [floor, i] : order)
            for (const std::uint32_t streamed : {streams.front(), streams.back()})
                options_[stage].push_back(
                    {cores_of(teams_[stage]), shapes[i].shape.split, streamed, shapes[i].shape.sums});
    }

    // Stages cut as the one before: along the same axes of the results, or where they read them.
    void add_alike(int stage, const package::Run& run, std::vector<package::Stage>& all) const {
        if (stage == 0) return;
        const int einsum = run.first + stage;
        const Worker& before = problem_.worker(einsum - 1);
        const Worker& now = problem_.worker(einsum);
        std::vector<package::Split> along;
        std::vector<package::Split> read;
        for (const package::Split& split : run.stages[stage - 1].split) {
            const int axis = before.axis_of[split.dimension];
            if (axis < 0) continue;
            if (axis < static_cast<int>(now.axes.size())) along.push_back({now.axes[axis], split.parts});
            for (const Reading& reading : now.reads) {
                const Access& access = problem_.cascade().einsums[einsum].accesses[reading.operand];
                if (problem_.maker(reading.tensor) != einsum - 1 || access.anywhere) continue;
                const std::vector<Term>& terms = access.coordinates[axis].terms;
                if (!terms.empty()) read.push_back({terms.front().dimension, split.parts});
            }
        }
        const std::vector<std::uint32_t> streams = streams_of(problem_, einsum, run.first);
        for (const auto& split : {along, read})
            for (const std::uint32_t streamed : {streams.front(), streams.back()}) {
                const package::Stage alike{cores_of(teams_[stage]), split, streamed, {}};
                if (std::ranges::find(all, alike) == all.end()) all.push_back(alike);
            }
    }

    std::optional<FoundRun> evaluate(package::Run run, std::uint64_t stages) {
        throw_if_stopped(evaluators_.stop);
        ++looked_at_;
        Evaluated now = evaluators_.exact.part(run, *way_.frame.made, stages, way_.frame.disjoint);
        if (!now) return std::nullopt;
        const double value = weights_.of(now.cost.energy.total(), static_cast<double>(now.cost.cycles));
        return FoundRun{std::move(run), std::move(now.cost), value};
    }

    std::vector<FoundRun> with(int stage, const std::vector<FoundRun>& before, double cut) {
        std::vector<FoundRun> next;
        for (const FoundRun& prefix : before) {
            std::vector<package::Stage> all = options_[stage];
            add_alike(stage, prefix.run, all);
            for (const package::Stage& one : all) {
                package::Run run = prefix.run;
                run.stages[stage] = one;
                std::optional<FoundRun> now = evaluate(std::move(run), up_to(stage));
                if (!now) continue;
                if (now->value + rest_[stage + 1] < cut)
                    next.push_back(std::move(*now));
                else
                    is_dear_ = true;
            }
        }
        std::ranges::stable_sort(next, {}, &FoundRun::value);
        if (next.size() > kBeam) next.resize(kBeam);
        return next;
    }

    // By changes of one stage until none betters.
    void better(FoundRun& best) {
        for (bool is_better = true; is_better;) {
            is_better = false;
            for (int stage = 0; stage < way_.stages(); ++stage) {
                std::vector<package::Stage> all = options_[stage];
                add_alike(stage, best.run, all);
                for (const package::Stage& one : all) {
                    if (one == best.run.stages[stage]) continue;
                    package::Run run = best.run;
                    run.stages[stage] = one;
                    std::optional<FoundRun> now = evaluate(std::move(run), up_to(way_.stages() - 1));
                    if (!now || now->value >= best.value * (1.0 - kRounding)) continue;
                    best = std::move(*now);
                    is_better = true;
                }
            }
        }
    }

    static std::uint64_t up_to(int stage) { return ~std::uint64_t{0} >> (63 - stage); }

    const Evaluators& evaluators_;
    const Problem& problem_;
    const Weights& weights_;
    Way& way_;
    std::vector<Team> teams_;
    std::int64_t& looked_at_;
    std::vector<std::vector<package::Stage>> options_;  // by stage
    bool is_dear_ = false;
    std::vector<double> rest_;  // by stage: of it and all behind it, alone
};

// In proportion to the operations, and of sizes that have a shape; empty: there are too few cores.
std::vector<Team> teams_of(const Problem& problem, const Way& way) {
    const int cores = problem.package().core_count();
    std::vector<double> work;
    for (int e = way.frame.first; e <= way.frame.last; ++e) {
        const Extents whole = whole_of(problem, e);
        work.push_back(std::accumulate(whole.begin(), whole.end(), 1.0, [](double product, std::int64_t extent) {
            return product * static_cast<double>(extent);
        }));
    }
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    std::vector<Team> teams;
    int from = 0;
    for (int stage = 0; stage < way.stages(); ++stage) {
        const int spare = cores - way.stages();
        int size = 1 + static_cast<int>(spare * work[stage] / all);
        while (size > 1 && way.shapes[stage]->of_size(size).empty()) --size;
        teams.push_back({from, size});
        from += size;
    }
    return from <= cores ? teams : std::vector<Team>{};
}

}  // namespace

std::optional<FoundRun> fused_way(const Evaluators& evaluators, KnownShapes& shapes, const Weights& weights, int first,
                                  int last, double cut, std::int64_t& looked_at) {
    const Problem& problem = evaluators.exact.problem();
    const int cores = problem.package().core_count();
    std::vector<Step> steps = steps_of(problem, last);
    std::ranges::stable_sort(steps, std::ranges::greater{}, &Step::size);
    std::optional<FoundRun> best;
    for (const bool disjoint : {false, true}) {
        if (disjoint && last - first >= cores) break;
        std::map<int, int> idle;  // by axis, from the first with room on
        for (const Step& step : steps) {
            if (idle[step.axis] > kIdleFused) continue;
            const Made made = made_by(problem, first, last, step);
            if (made.refused >= 0 || made.steps > kMostSteps) continue;
            Way way{run_frame(problem, first, last, step, made, disjoint)};
            for (int e = first; e <= last; ++e) way.shapes.push_back(shapes.of(way.frame, e));
            std::vector<Team> teams = disjoint ? teams_of(problem, way) : std::vector(way.stages(), Team{0, cores});
            if (teams.empty()) continue;
            way.size = disjoint ? 0 : cores;
            Beam beam(evaluators, weights, way, std::move(teams), looked_at);
            const auto found = beam.find(cut);
            if (found || beam.is_dear()) ++idle[step.axis];
            if (!found) continue;
            FoundRun exact = verified(evaluators, weights, made, disjoint, found->run, found->cost);
            if (exact.value >= cut) continue;
            cut = exact.value;
            best = std::move(exact);
            idle[step.axis] = 1;
        }
    }
    return best;
}

}  // namespace tilewright::multicore
