#include "mapper/cosa/cosa.hpp"

#include <array>
#include <chrono>
#include <cstdio>

#include "mapper/cosa/padding.hpp"
#include "mapping/validity.hpp"

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
