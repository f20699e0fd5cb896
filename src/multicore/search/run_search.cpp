#include "multicore/search/run_search.hpp"

#include <algorithm>
#include <tuple>

namespace tilewright::multicore {
namespace {

constexpr int kIdleSteps = 4;  // in a row that better nothing end the search of a cheap way

// On the first cores: a way of each size of team whose floor is below `cut`, or the first that fits.
std::optional<FoundRun> first_of(const Evaluators& evaluators, const Weights& weights, Way& way, bool is_cheap,
                                 double cut) {
    std::optional<FoundRun> best;
    std::vector<std::pair<double, int>> sizes;
    for (int size = 1; size <= evaluators.exact.problem().package().core_count(); ++size) {
        bool is_exact = false;
        const double floor = way.alone(evaluators, weights, 0, {0, size}, is_exact);
        if (floor < kNever) sizes.emplace_back(floor, size);
    }
    std::ranges::sort(sizes);
    for (const auto& [floor, size] : sizes) {
        if (floor >= cut) break;
        const Option* option = way.options_of(evaluators, weights, 0, {0, size})->any();
        if (option == nullptr) continue;
        package::Run run = way.frame.run();
        run.stages.front() = option->stage;
        const Evaluated now = evaluators.exact.part(run, *way.frame.made, 1, way.frame.disjoint);
        if (!now) continue;
        if (weights.of(now.cost.energy.total(), static_cast<double>(now.cost.cycles)) >= cut) continue;
        FoundRun found = verified(evaluators, weights, *way.frame.made, way.frame.disjoint, run, now.cost);
        if (found.value >= cut) continue;
        cut = found.value;
        best = std::move(found);
        if (!is_cheap) break;
    }
    return best;
}

double leak_of(const package::Package& package) {
    double leak_pj = 0.0;
    for (int core = 0; core < package.core_count(); ++core) leak_pj += package.kind_of(core).leak_pj_per_cycle;
    return leak_pj;
}

}  // namespace

FoundRun verified(const Evaluators& evaluators, const Weights& weights, const Made& made, bool disjoint,
                  const package::Run& run, const Cost& cost) {
    constexpr double kDigits = 1e-10;
    const auto value_of = [&](const Cost& one) {
        return weights.of(one.energy.total(), static_cast<double>(one.cycles));
    };
    FoundRun found{run, cost, value_of(cost)};
    if (evaluators.mapped == nullptr) return found;
    const std::size_t stages = run.stages.size();
    const std::uint64_t all = stages == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << stages) - 1;
    found.cost = evaluators.mapped->part(run, made, all, disjoint).cost;
    found.value = value_of(found.cost);
    if (found.value <= value_of(cost) * (1.0 + kDigits)) return found;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        const int einsum = run.first + static_cast<int>(stage);
        if (evaluators.trust->is_distrusted(einsum)) continue;
        const std::uint64_t one = std::uint64_t{1} << stage;
        const double alone = value_of(evaluators.mapped->part(run, made, one, disjoint).cost);
        if (alone > value_of(evaluators.exact.part(run, made, one, disjoint).cost) * (1.0 + kDigits))
            evaluators.trust->distrust(einsum);
    }
    return found;
}

RunFrame run_frame(const Problem& problem, int first, int last, const Step& step, const Made& made, bool disjoint) {
    RunFrame frame{first, last, step, &made, disjoint, made.steps == 1, leak_of(problem.package())};
    for (int e = first + 1; e <= last; ++e) frame.serial = frame.serial && problem.depends(e, e - 1);
    return frame;
}

std::optional<FoundRun> first_way(const Evaluators& evaluators, KnownShapes& shapes, const Weights& weights, int einsum,
                                  bool is_cheap, std::int64_t& looked_at) {
    const Problem& problem = evaluators.exact.problem();
    std::vector<Step> steps = steps_of(problem, einsum);
    const Box whole = problem.whole_result(einsum);
    std::ranges::stable_sort(steps, {}, [&](const Step& step) { return whole[step.axis].to / step.size; });
    std::optional<FoundRun> best;
    int idle = 0;
    for (const Step& step : steps) {
        const Made made = made_by(problem, einsum, einsum, step);
        Way way{run_frame(problem, einsum, einsum, step, made, true)};
        way.shapes.push_back(shapes.of(way.frame, einsum));
        ++looked_at;
        auto found = first_of(evaluators, weights, way, is_cheap, best ? best->value : kNever);
        if (found) {
            best = std::move(found);
            idle = 0;
        } else if (best) {
            ++idle;
        }
        if (best && (!is_cheap || idle == kIdleSteps)) break;
    }
    return best;
}

RunSearch::RunSearch(const Evaluators& evaluators, KnownShapes& shapes, const Weights& weights, int first, int last,
                     const StopSource* stop)
    : evaluators_(evaluators),
      evaluator_(evaluators.exact),
      shapes_(shapes),
      weights_(weights),
      first_(first),
      last_(last),
      stop_(stop) {
    for (const Step& step : steps_of(evaluator_.problem(), last)) {
        throw_if_stopped(stop);
        Made made = made_by(evaluator_.problem(), first, last, step);
        if (made.refused >= 0) continue;
        made_.emplace(step, std::move(made));
        add_ways(step);
    }
    // Of equal ones those of few steps, which are quickly evaluated, and of many cores first.
    std::ranges::stable_sort(ways_, {}, [](const std::unique_ptr<Open>& way) {
        return std::tuple(way->floor, way->frame.made->steps, -way->size);
    });
}

void RunSearch::add_ways(const Step& step) {
    const Problem& problem = evaluator_.problem();
    for (const bool disjoint : {true, false}) {
        if (!disjoint && first_ == last_) continue;
        const RunFrame frame = run_frame(problem, first_, last_, step, made_.at(step), disjoint);
        std::vector<std::shared_ptr<const Shapes>> shapes;
        for (int e = first_; e <= last_; ++e) shapes.push_back(shapes_.of(frame, e));
        if (disjoint && last_ - first_ < problem.package().core_count()) add_way(frame, 0, shapes);
        for (int size = 1; !disjoint && size <= problem.package().core_count(); ++size) add_way(frame, size, shapes);
    }
}

void RunSearch::add_way(const RunFrame& frame, int size, const std::vector<std::shared_ptr<const Shapes>>& shapes) {
    auto way = std::make_unique<Open>();
    way->frame = frame;
    way->size = size;
    way->shapes = shapes;
    way->floor = floor_of(*way);
    if (way->floor < kNever) ways_.push_back(std::move(way));
}

// Of the stage in any team that may be: of the size of the turns, or of so many cores at most.
Floor RunSearch::least_of(const Open& way, int stage, int cores) const {
    if (way.size > 0) return way.shapes[stage]->least_of_size(way.size);
    Floor least = Floor::never();
    for (int size = 1; size <= cores; ++size) least.lower(way.shapes[stage]->least_of_size(size));
    return least;
}

double RunSearch::floor_of(const Open& way) const {
    const int cores = evaluator_.problem().package().core_count();
    Floor sum;
    for (int stage = 0; stage < way.stages(); ++stage) {
        const Floor least = least_of(way, stage, cores - (way.stages() - 1));
        sum.energy_pj += least.energy_pj;
        sum.cycles = way.frame.serial ? sum.cycles + least.cycles : std::max(sum.cycles, least.cycles);
        sum.busy += least.busy;
        sum.dram_cycles += least.dram_cycles;
    }
    const double cycles = std::max({sum.cycles, sum.busy / (way.size > 0 ? way.size : cores), sum.dram_cycles});
    return weights_.of(sum.energy_pj + way.frame.leak_pj * cycles, cycles);
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
    while (looked_at_ < prefixes) {
        Open* way = next();
        if (way == nullptr) break;
        const double floor = way->floor;
        raise(*way);
        if (way->pipeline) ++looked_at_;  // floors of slots evaluate nothing
        if (way->floor > floor) continue;
        look(*way, way->depth);
        way->depth *= 4;
    }
    return looked_at_;
}

// Of those that may be of use the one of the least floor; null: there is none.
RunSearch::Open* RunSearch::next() {
    Open* least = nullptr;
    for (const auto& way : ways_)
        if (!way->done && way->floor < cut() && (least == nullptr || way->floor < least->floor)) least = way.get();
    return least;
}

void RunSearch::look(Open& way, std::int64_t prefixes) {
    if (way.floor >= cut()) return;
    const auto found_one = [&](const package::Run& run, const Cost& cost) { found(way, run, cost); };
    const auto now = [this] { return cut(); };
    const double left_out = way.pipeline ? way.pipeline->go(prefixes, now, found_one, stop_, looked_at_)
                                         : way.slots->go(prefixes, now, found_one, looked_at_);
    way.floor = std::max(way.floor, left_out);
    way.done = way.floor >= value() * (1.0 - kRounding);
}

void RunSearch::raise(Open& way) {
    if (weights_.cycles > 0.0 || way.frame.leak_pj > 0.0) {
        if (way.slots) return;
        way.slots = std::make_unique<SlotSearch>(evaluators_, weights_, way, stop_);
        way.floor = std::max(way.floor, way.slots->floor(cut()));
        way.done = way.floor >= value() * (1.0 - kRounding);
        return;
    }
    if (!way.rest) {
        way.rest = std::make_unique<EnergyRest>(evaluators_, weights_, way);
        way.pipeline = std::make_unique<Pipeline>(evaluators_, weights_, way, *way.rest);
    }
    if (way.stages() == 1) return;  // all is said by its options
    way.rest->raise(cut(), stop_);
    way.floor = std::max(way.floor, way.rest->from(0, 0));
}

void RunSearch::found(const Way& way, const package::Run& run, const Cost& cost) {
    if (weights_.of(cost.energy.total(), static_cast<double>(cost.cycles)) >= value()) return;
    learn(verified(evaluators_, weights_, *way.frame.made, way.frame.disjoint, run, cost));
}

}  // namespace tilewright::multicore
