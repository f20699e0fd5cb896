#include "mapper/optimal/imperfect/remainder_search.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "mapper/optimal/imperfect/search.hpp"
#include "mapper/optimal/imperfect/spreads.hpp"

namespace tilewright::optimal {

RemainderSearch::RemainderSearch(const Question& question, Answer& answer)
    : question_(question),
      answer_(answer),
      keeps_(question.mapspace),
      completion_bounds_([this] { return ImperfectCompletionBound(question_.mapspace, question_.setup); }) {}

// Up to millions of assignments: each bound is dearer than the one before and sees fewer.
bool RemainderSearch::list() {
    incumbent_ = answer_.incumbent();
    const Judge& judge = question_.judge;
    const auto stop = [this] { return question_.stop(); };
    const auto is_out_of_reach = [&](const SpreadBound& bound) {
        return judge.pruned(question_.bound_of(bound.leak_pj_per_cycle, bound.energy_pj, bound.cycles), incumbent_);
    };
    const auto add = [&](const TilingPoint& point) {
        Assignment assignment(point);
        const Bound bound = least_of(assignment);
        if (!judge.pruned(bound, incumbent_)) tasks_.push_back({std::move(assignment), bound, judge.score(bound)});
    };
    const auto expand = [&](const TilingPoint& spatial) {
        if (keeps_.are_fixed()) {
            TilingPoint point = spatial;
            keeps_.choose_first(point);
            add(point);
            return !stop();
        }
        const KeepBounds bounds(question_.mapspace, question_.setup, keeps_, spatial);
        const auto pruned = [&](double energy_pj) {
            return judge.pruned(question_.bound_of(bounds.leak_pj_per_cycle(), energy_pj, bounds.least_cycles()),
                                incumbent_);
        };
        if (pruned(bounds.least_pj())) return true;
        bounds.visit(pruned, [&](const TilingPoint& point, double) {
            if (!stop()) add(point);
        });
        return !stop();
    };
    constexpr std::int64_t kStepsEach = 16;  // a choice of factors and its bound
    const Spreads spreads(question_.mapspace, question_.setup, keeps_, question_.counting(steps_, kStepsEach));
    // The unlisted rest is covered by the bound of all.
    if (!spreads.visit(is_out_of_reach, expand)) {
        const SpreadBound least = spreads.least();
        answer_.leave_open(judge.score(question_.bound_of(least.leak_pj_per_cycle, least.energy_pj, least.cycles)));
    }
    std::stable_sort(tasks_.begin(), tasks_.end(), [](const Task& a, const Task& b) { return a.score < b.score; });
    return true;
}

Bound RemainderSearch::least_of(const Assignment& assignment) const {
    const Judge& judge = question_.judge;
    const TilingPoint point = assignment.point(question_.mapspace);
    const ImperfectCharges charges(question_.mapspace, question_.setup, point, LayoutChoice::any);
    const double leak_pj_per_cycle = charges.least_leak_pj_per_cycle();
    const Bound quick = question_.bound_of(leak_pj_per_cycle, charges.least_pj(), charges.least_cycles());
    if (judge.pruned(quick, incumbent_)) return quick;
    ImperfectCompletionBound& completion_bound = completion_bounds_.local();
    completion_bound.look_at(charges);
    const double limit_pj = judge.limit_pj(quick.cycles, incumbent_);
    double least_pj = std::max(charges.least_pj(), completion_bound.all_pj(limit_pj));
    if (least_pj < limit_pj && completion_bound.has_passing()) {
        completion_bound.look_at(charges, true);
        least_pj = std::max(least_pj, completion_bound.all_pj(limit_pj));
    }
    return question_.bound_of(leak_pj_per_cycle, least_pj, charges.least_cycles());
}

// Slow assignments come last. With an incumbent far from the bound, the best ones are first searched for good nests.
void RemainderSearch::run() {
    std::vector<std::size_t> all(tasks_.size());
    std::iota(all.begin(), all.end(), 0U);
    constexpr std::size_t kNarrowSearches = 2;
    if (is_far_from_bound()) in_batches(std::span(all).first(std::min(kNarrowSearches, all.size())), Depth::narrow);
    in_batches(all, Depth::quick);
    const std::vector<std::size_t> unsettled = std::exchange(unsettled_, {});
    in_batches(unsettled, Depth::thorough);
}

// Too far above the bound for effective pruning.
bool RemainderSearch::is_far_from_bound() const {
    constexpr double kFar = 0.9;
    if (question_.objective.kind == ObjectiveKind::pareto || tasks_.empty()) return false;
    return !answer_.is_there() || tasks_.front().score.value < kFar * answer_.score().value;
}

// By ascending bound, pruned by the best of all earlier batches. Batches are small at first, while it improves quickly.
void RemainderSearch::in_batches(std::span<const std::size_t> tasks, Depth depth) {
    constexpr std::size_t kLargest = 64;
    const bool ordered = question_.objective.kind != ObjectiveKind::pareto;
    std::size_t next = 0;
    while (next < tasks.size() && !question_.stop() && steps_ <= question_.most_steps) {
        incumbent_ = answer_.incumbent();
        // If one is pruned, so are all later ones.
        if (ordered && question_.judge.pruned(tasks_[tasks[next]].bound, incumbent_)) return;
        is_throttled_ = answer_.is_throttled();
        const std::size_t size = next == 0 ? 1 : std::min(kLargest, next / 4 + 2);  // the first is often the best
        const std::size_t end = std::min(tasks.size(), next + size);
        std::vector<Outcome> outcomes(end - next);
        tbb::parallel_for(next, end, [&](std::size_t i) {
            const Task& task = tasks_[tasks[i]];
            if (!question_.judge.pruned(task.bound, incumbent_)) outcomes[i - next] = solve(task, incumbent_, depth);
        });
        for (std::size_t i = next; i < end; ++i) {
            steps_ += outcomes[i - next].steps;
            answer_.take(outcomes[i - next]);
            if (outcomes[i - next].unsettled) unsettled_.push_back(tasks[i]);
        }
        next = end;
        const double infinite = std::numeric_limits<double>::infinity();
        answer_.tell(remaining(next < tasks.size() ? tasks_[tasks[next]].score.value : infinite));
    }
    if (next < tasks.size()) answer_.leave_open(tasks_[tasks[next]].score);
}

double RemainderSearch::remaining(double next) const {
    return unsettled_.empty() ? next : std::min(next, tasks_[unsettled_.front()].score.value);
}

// A mapping found prunes the rest of this assignment only: others run at the same time.
Outcome RemainderSearch::solve(const Task& task, Incumbent incumbent, Depth depth) const {
    Outcome outcome;
    const Judge& judge = question_.judge;
    const Objective& objective = question_.objective;
    const ImperfectCharges charges(question_.mapspace, question_.setup, task.assignment.point(question_.mapspace),
                                   LayoutChoice::any);
    const auto bound = [&](double energy_pj, double cycles) {
        return question_.bound_of(charges.least_leak_pj_per_cycle(), energy_pj, cycles);
    };
    ImperfectHooks hooks;
    hooks.pruning.pruned = [&](double energy_pj, double cycles) {
        return judge.pruned(bound(energy_pj, cycles), incumbent);
    };
    hooks.pruning.limit_pj = [&](double cycles) { return judge.limit_pj(bound(0.0, cycles).cycles, incumbent); };
    hooks.time_matters = objective.kind != ObjectiveKind::energy || question_.setup.leaks;
    hooks.is_throttled = is_throttled_;
    hooks.found = [&](const TilingPoint& point, const LeanCost& cost) {
        outcome.nests.push_back({point, {}, cost.energy_pj, static_cast<double>(cost.cycles)});
        outcome.costs.push_back(cost);
        if (!cost.valid()) return;
        incumbent.score = std::min(incumbent.score, objective.score(cost.energy_pj, cost.cycles));
        if (objective.kind == ObjectiveKind::pareto) incumbent.front.push_back({{point}, cost});
    };
    hooks.open = [&](double energy_pj, double cycles) {
        outcome.open = std::min(outcome.open, judge.score(bound(energy_pj, cycles)));
    };
    hooks.stop = question_.counting(outcome.steps);
    ImperfectCompletionBound& completion_bound = completion_bounds_.local();
    if (depth == Depth::narrow) {
        dive_imperfect(question_.mapspace, charges, completion_bound, question_.evaluator, hooks);
        return outcome;
    }
    if (depth == Depth::quick) hooks.later = [&outcome] { outcome.unsettled = true; };
    outcome.finished = follow_imperfect(question_.mapspace, charges, completion_bound, question_.evaluator, hooks);
    if (!outcome.finished) outcome.open = std::min(outcome.open, task.score);
    return outcome;
}

}  // namespace tilewright::optimal
