#include "mapper/cosa/cosa.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "mapper/cosa/tiles.hpp"
#include "mapping/validity.hpp"
#include "workload/shapes.hpp"

namespace tilewright {
namespace {

using cosa::Schedule;

std::string number(double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

// "CoSA's objective is 215.154 (utilization 29.521, compute 16.7846, traffic 50.2594), optimal"
std::string solution_text(const Schedule& schedule, const Einsum& einsum) {
    std::string text = "CoSA's objective is " + number(schedule.objective) + " (utilization " +
                       number(schedule.terms.utilization) + ", compute " + number(schedule.terms.compute) +
                       ", traffic " + number(schedule.terms.traffic) + ")";
    if (schedule.status == mip::Status::optimal)
        text += ", optimal";
    else
        text += ", at least " + number(schedule.bound) + " (" + std::string(mip::ended_text(schedule.ended)) + ")";
    const std::string padding = cosa::padding_text(einsum, schedule.extents);
    return padding.empty() ? text : text + "; padded: " + padding;
}

std::string failure_text(const Schedule& schedule) {
    if (schedule.status == mip::Status::infeasible)
        return "CoSA's program has no solution: the constraints and capacities leave no schedule";
    if (schedule.status == mip::Status::unbounded) return "CoSA's program has no bound: weights of this kind do not";
    std::string text = "CoSA found no schedule: " + std::string(mip::ended_text(schedule.ended));
    if (schedule.bound > -1e30) text += "; none has an objective below " + number(schedule.bound);
    return text;
}

// Reason a schedule is no mapping of the layer, or "".
std::string problem_with(const TilingPoint& point, const LeanEvaluator& evaluator) {
    const std::optional<Mapping> mapping = mapping_of(point, evaluator.einsum());
    if (!mapping) return "the padded factors do not cover the layer";
    const std::vector<Violation> violations = check(evaluator.einsum(), evaluator.architecture(), *mapping);
    return violations.empty() ? "" : violations.front().message;
}

StopReason reason_of(const Schedule& schedule) {
    if (schedule.ended == mip::Ended::interrupted) return StopReason::interrupted;
    if (schedule.ended == mip::Ended::time) return StopReason::time;
    return schedule.ended == mip::Ended::finished ? StopReason::solved : StopReason::evaluations;
}

}  // namespace

SearchResult CosaMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                const Budget& budget, const ProgressCallback&) const {
    SearchResult result;
    if (!mapspace.problem().empty()) {
        result.stopped = StopReason::empty_mapspace;
        return result;
    }
    cosa::ProgramOptions options = options_;
    options.limits.stop = budget.stop;
    if (budget.time) options.limits.seconds = budget.time->count();
    if (!budget.time && !options.limits.nodes) options.limits.nodes = kMostNodes;
    const Schedule schedule = cosa::schedule(evaluator.einsum(), evaluator.architecture(), mapspace, options);
    result.stopped = reason_of(schedule);
    result.statistics.seconds = schedule.seconds;
    if (!schedule.point) {
        result.remark = failure_text(schedule);
        return result;
    }
    result.statistics.sampled = 1;
    result.remark = solution_text(schedule, evaluator.einsum());
    if (const std::string problem = problem_with(*schedule.point, evaluator); !problem.empty()) {
        result.remark += ", but the schedule is not legal: " + problem;
        return result;
    }
    result.best = FoundMapping{*schedule.point};
    result.cost = evaluator.evaluate(*schedule.point);
    result.score = objective.score(result.cost.energy_pj, result.cost.cycles);
    result.statistics.valid = result.statistics.evaluations = 1;
    if (objective.kind == ObjectiveKind::pareto) result.front.push_back({*result.best, result.cost});
    return result;
}

}  // namespace tilewright

namespace tilewright::cosa {
namespace {

Trial try_weights(const Weights& weights, const Architecture& architecture, const Objective& objective,
                  const std::function<Constraints(const Einsum&)>& constraints) {
    constexpr std::int64_t kNodes = 200;  // the weights need no proof
    ProgramOptions options;
    options.weights = weights;
    options.limits.nodes = kNodes;
    const CosaMapper mapper(options);
    Trial trial;
    trial.weights = weights;
    double sum = 0.0;
    for (const Einsum& einsum : micro_benchmarks()) {
        const SearchResult found = mapper.search(Mapspace(einsum, architecture, constraints(einsum)),
                                                 LeanEvaluator(einsum, architecture), objective, Budget{});
        if (!found.best) continue;
        ++trial.schedules;
        sum += std::log(found.score.value);
    }
    if (trial.schedules > 0) trial.score = std::exp(sum / trial.schedules);
    return trial;
}

bool is_better(const Trial& a, const Trial& b) {
    return a.schedules != b.schedules ? a.schedules > b.schedules : a.score < b.score;
}

}  // namespace

std::vector<Einsum> micro_benchmarks() {
    return {conv2d(64, 64, 14, 3), gemm(1, 1024, 512), conv2d(32, 128, 28, 1), conv2d(64, 96, 14, 3, 2)};
}

std::vector<Trial> calibrate(const Architecture& architecture, const Objective& objective,
                             const std::function<Constraints(const Einsum&)>& constraints) {
    const Weights released;
    std::vector<Trial> trials{try_weights(released, architecture, objective, constraints)};
    for (const double compute : {10.0, 3.0, 1.0})
        for (const double utilization : {0.02, 0.1, 0.3})
            if (const Weights weights{utilization, compute, 1.0}; weights != released)
                trials.push_back(try_weights(weights, architecture, objective, constraints));
    return trials;
}

const Trial& best_trial(const std::vector<Trial>& trials) {
    return *std::min_element(trials.begin(), trials.end(), is_better);
}

}  // namespace tilewright::cosa
