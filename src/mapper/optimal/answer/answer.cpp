#include "mapper/optimal/answer/answer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::optimal {
namespace {

double steps_of(const TilingPoint& point) {
    double steps = 1.0;
    for (int l = 0; l < point.level_count(); ++l)
        for (int d = 0; d < point.dimension_count(); ++d) steps *= point[l].temporal[d];
    return steps;
}

}  // namespace

bool Answer::is_throttled() const {
    return result_.best && static_cast<double>(result_.cost.cycles) > steps_of(result_.best->point);
}

void Answer::begin_with(const SearchResult& found) {
    result_.statistics = found.statistics;
    offer(found);
}

void Answer::offer(const SearchResult& found) {
    if (found.best) offer(*found.best, found.cost);
    for (const FrontPoint& point : found.front) offer(point.mapping, point.cost);
}

void Answer::offer(const FoundMapping& mapping, const LeanCost& cost) {
    const Objective& objective = question_.objective;
    if (objective.kind == ObjectiveKind::pareto && !front_.offer(mapping, cost, 0)) return;
    const Score score = objective.score(cost.energy_pj, cost.cycles);
    if (result_.best && !(score < result_.score)) return;
    result_.best = mapping;
    result_.cost = cost;
    result_.score = score;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - question_.begin;
    if (objective.kind != ObjectiveKind::pareto)
        result_.improvements.push_back({result_.statistics.evaluations, elapsed.count(), cost, score});
    improved_ = true;
}

void Answer::take(const Outcome& outcome) {
    for (std::size_t i = 0; i < outcome.nests.size(); ++i) {
        ++result_.statistics.sampled;
        ++result_.statistics.evaluations;
        if (!outcome.costs[i].valid()) continue;
        ++result_.statistics.valid;
        offer({outcome.nests[i].point, outcome.nests[i].uneven}, outcome.costs[i]);
    }
    leave_open(outcome.open);
    ++result_.statistics.chunks;
}

void Answer::take(const SearchResult& found) {
    result_.statistics.add(found.statistics);
    offer(found);
}

void Answer::tell(double remaining) {
    if (!progress_) return;
    Progress progress;
    progress.statistics = result_.statistics;
    progress.best = result_.cost;
    progress.score = result_.score;
    progress.improved = improved_;
    progress.lower_bound = std::min({remaining, open_.value, result_.score.value});
    progress_(progress);
    improved_ = false;
}

// Latency claims the least-energy mapping among the fastest, a front every point. Other objectives leave ties open.
bool Answer::nothing_better_is_open() const {
    const ObjectiveKind kind = question_.objective.kind;
    if (kind == ObjectiveKind::pareto) return std::isinf(open_.value);
    if (open_.value < result_.score.value * kClose) return false;
    return kind != ObjectiveKind::latency || open_.value > result_.score.value ||
           open_.tie >= result_.score.tie * kClose;
}

SearchResult Answer::finish(bool all_listed) {
    if (result_.best && all_listed) result_.lower_bound = std::min(result_.score.value, open_.value);
    result_.front = front_.take();
    result_.statistics.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - question_.begin).count();
    const bool proven = result_.best && nothing_better_is_open();
    if (question_.interrupt.interrupted()) {
        result_.stopped = StopReason::interrupted;
    } else if (question_.interrupt.timed_out()) {
        result_.stopped = StopReason::time;
    } else if (!result_.best) {
        result_.stopped = open_ < Score{} ? StopReason::fruitless : StopReason::exhausted;
    } else {
        result_.stopped = proven ? StopReason::proven : StopReason::bounded;
    }
    return std::move(result_);
}

bool Judge::pruned(const Bound& bound, const Incumbent& incumbent) const {
    if (objective_.kind == ObjectiveKind::pareto)
        return std::any_of(incumbent.front.begin(), incumbent.front.end(), [&](const FrontPoint& point) {
            return point.cost.energy_pj * kClose <= bound.energy_pj &&
                   static_cast<double>(point.cost.cycles) <= bound.cycles;
        });
    const Score least = score(bound);
    if (least.value < incumbent.score.value * kClose) return false;
    return least.value * kClose > incumbent.score.value || least.tie >= incumbent.score.tie * kClose;
}

double Judge::limit_pj(double cycles, const Incumbent& incumbent) const {
    constexpr double kRoom = 1.0 + 1e-9;
    const Score& best = incumbent.score;
    if (objective_.kind == ObjectiveKind::energy) return best.value * kRoom;
    if (objective_.kind == ObjectiveKind::edp) return best.value / cycles * kRoom;
    if (objective_.kind == ObjectiveKind::latency && cycles >= best.value) return best.tie * kRoom;
    return std::numeric_limits<double>::infinity();
}

bool Judge::is_far(const Bound& bound, const Incumbent& incumbent) const {
    constexpr double kFar = 0.98;
    return objective_.kind != ObjectiveKind::pareto && score(bound).value < kFar * incumbent.score.value;
}

}  // namespace tilewright::optimal
