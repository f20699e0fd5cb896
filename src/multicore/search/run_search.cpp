#include "multicore/search/run_search.hpp"

#include <algorithm>

namespace tilewright::multicore {
RunSearch::RunSearch(const Evaluator& evaluator, KnownShapes& shapes, const Weights& weights, int first, int last,
                     const StopSource* stop)
    : evaluator_(evaluator), shapes_(shapes), weights_(weights), first_(first), last_(last), stop_(stop) {
    for (const Step& step : steps_of(evaluator.problem(), last)) {
        throw_if_stopped(stop);
        Made made = made_by(evaluator.problem(), first, last, step);
        if (made.refused >= 0) continue;
        made_.emplace(step, std::move(made));
        add_ways(step);
    }
    std::ranges::sort(ways_, {}, [](const std::unique_ptr<Way>& way) { return way->floor; });
}

void RunSearch::add_ways(const Step& step) {
    const Problem& problem = evaluator_.problem();
    RunFrame frame{first_, last_, step, &made_.at(step)};
    frame.serial = frame.made->steps == 1;
    for (int e = first_ + 1; e <= last_; ++e) frame.serial = frame.serial && problem.depends(e, e - 1);
    for (int core = 0; core < problem.package().core_count(); ++core)
        frame.leak_pj += problem.package().kind_of(core).leak_pj_per_cycle;
    for (const bool disjoint : {true, false}) {
        if (!disjoint && first_ == last_) continue;
        frame.disjoint = disjoint;
        std::vector<std::shared_ptr<const Shapes>> shapes;
        for (int e = first_; e <= last_; ++e) shapes.push_back(shapes_.of(frame, e));
        if (disjoint && last_ - first_ < problem.package().core_count()) add_way(frame, 0, shapes);
        for (int size = 1; !disjoint && size <= problem.package().core_count(); ++size) add_way(frame, size, shapes);
    }
}

void RunSearch::add_way(const RunFrame& frame, int size, const std::vector<std::shared_ptr<const Shapes>>& shapes) {
    auto way = std::make_unique<Way>();
    way->frame = frame;
    way->size = size;
    way->shapes = shapes;
    way->floor = bound_of(*way, {}, 0, 0);
    if (way->floor < kNever) ways_.push_back(std::move(way));
}

// Of the stage in any team that may be: of the size of the turns, or of so many cores at most.
Floor RunSearch::least_of(const Way& way, int stage, int cores) const {
    if (way.size > 0) return way.shapes[stage]->least_of_size(way.size);
    Floor least = Floor::never();
    for (int size = 1; size <= cores; ++size) least.lower(way.shapes[stage]->least_of_size(size));
    return least;
}

double RunSearch::weighted(const Way& way, double energy_pj, double cycles) const {
    return weights_.of(energy_pj + way.frame.leak_pj * cycles, cycles);
}

// Of all plans that go on from a prefix with stages from `next` on, on cores from `first_core` on.
double RunSearch::bound_of(const Way& way, const Prefix& prefix, int next, int first_core) const {
    const int cores = evaluator_.problem().package().core_count();
    const int count = last_ - first_ + 1;
    double energy_pj = prefix.energy_pj;
    double cycles = prefix.cycles;
    double busy = prefix.busy;
    double dram_cycles = prefix.dram_cycles;
    for (int stage = next; stage < count; ++stage) {
        const Floor least = least_of(way, stage, cores - first_core - (count - next - 1));
        energy_pj += least.energy_pj;
        cycles = way.frame.serial ? cycles + least.cycles : std::max(cycles, least.cycles);
        busy += least.busy;
        dram_cycles += least.dram_cycles;
    }
    cycles = std::max(cycles, busy / (way.size > 0 ? way.size : cores));
    return weighted(way, energy_pj, std::max(cycles, dram_cycles));
}

StageOptions& RunSearch::options_of(Way& way, int stage, const Team& team) const {
    std::unique_ptr<StageOptions>& options = way.options[{stage, team}];
    if (!options)
        options =
            std::make_unique<StageOptions>(evaluator_, way.frame, *way.shapes[stage], weights_, first_ + stage, team);
    return *options;
}

double RunSearch::value() const { return best_ ? best_->value : kNever; }
double RunSearch::cut() const { return std::min(value(), limit_) * (1.0 - kRounding); }

double RunSearch::bound() const {
    double least = value();
    for (const auto& way : ways_)
        if (!way->done) least = std::min(least, way->floor);
    return least;
}

void RunSearch::learn(const FoundRun& known) {
    if (known.value < value()) best_ = known;
}

std::int64_t RunSearch::round(std::int64_t prefixes, double limit) {
    limit_ = limit;
    looked_at_ = 0;
    for (const auto& way : ways_) {
        if (way->done || way->floor >= cut()) continue;
        left_ = prefixes;
        package::Run run = way->frame.run();
        if (!go(*way, 0, 0, {}, run)) continue;
        // What was cut by a limit from outside alone stays open, from there on.
        way->done = limit >= value();
        way->floor = std::max(way->floor, cut());
    }
    return looked_at_;
}

std::vector<RunSearch::Candidate> RunSearch::candidates(Way& way, int stage, int first_core,
                                                        const Prefix& prefix) const {
    if (way.size > 0) return {{{0, way.size}, 0.0}};
    const int cores = evaluator_.problem().package().core_count();
    const int after = last_ - first_ - stage;
    std::vector<Candidate> all;
    for (int from = first_core; from + after < cores; ++from)
        for (int size = 1; from + size + after <= cores; ++size) {
            Prefix next = prefix;
            const Floor& least = way.shapes[stage]->least_of_size(size);
            next.energy_pj += least.energy_pj;
            next.cycles = way.frame.serial ? next.cycles + least.cycles : std::max(next.cycles, least.cycles);
            next.busy += least.busy;
            next.dram_cycles += least.dram_cycles;
            const double floor = bound_of(way, next, stage + 1, from + size);
            if (floor < cut()) all.push_back({{from, size}, floor});
        }
    std::ranges::stable_sort(all, {}, &Candidate::floor);
    return all;
}

// True when nothing was left out for want of prefixes.
bool RunSearch::go(Way& way, int stage, int first_core, const Prefix& prefix, package::Run& run) {
    bool complete = true;
    for (const Candidate& candidate : candidates(way, stage, first_core, prefix)) {
        if (candidate.floor >= cut()) continue;
        StageOptions& options = options_of(way, stage, candidate.team);
        double others_pj = prefix.energy_pj;
        for (int next = stage + 1; next <= last_ - first_; ++next)
            others_pj += least_of(way, next, evaluator_.problem().package().core_count()).energy_pj;
        for (std::size_t i = 0;; ++i) {
            throw_if_stopped(stop_);
            const Option* option = options.at(i);
            if (option == nullptr) break;
            if (weights_.energy * others_pj + option->value >= cut()) break;
            if (left_ <= 0) return false;
            try_option(way, stage, candidate.team, Option(*option), prefix, run, complete);
        }
    }
    return complete;
}

void RunSearch::try_option(Way& way, int stage, const Team& team, const Option& option, const Prefix& prefix,
                           package::Run& run, bool& complete) {
    const int after = team.from + team.size;
    Prefix next = prefix;
    next.energy_pj += option.alone.energy_pj;
    next.cycles = way.frame.serial ? next.cycles + option.alone.cycles : std::max(next.cycles, option.alone.cycles);
    next.busy += option.alone.busy;
    next.dram_cycles += option.alone.dram_cycles;
    if (bound_of(way, next, stage + 1, after) >= cut()) return;
    --left_;
    ++looked_at_;
    run.stages[stage] = option.stage;
    const bool is_last = stage == last_ - first_;
    const std::uint64_t stages = (std::uint64_t{2} << stage) - 1;
    const Evaluated now = evaluator_.part(run, *way.frame.made, stages, way.frame.disjoint);
    if (!now) return;
    next.energy_pj = now.cost.energy.total() - now.cost.energy.leakage;
    next.cycles = static_cast<double>(now.cost.cycles);
    if (is_last) {
        found(run, now.cost);
        return;
    }
    if (bound_of(way, next, stage + 1, after) >= cut()) return;
    complete = go(way, stage + 1, after, next, run) && complete;
}

void RunSearch::found(const package::Run& run, const Cost& cost) {
    const double value = weights_.of(cost.energy.total(), static_cast<double>(cost.cycles));
    if (value >= this->value()) return;
    best_ = {run, cost, value};
}

}  // namespace tilewright::multicore
