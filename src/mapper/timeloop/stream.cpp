#include "mapper/timeloop/stream.hpp"

#include <algorithm>
#include <cmath>

#include "timeloop/account/timeloop.hpp"

namespace tilewright::timeloop_search {
namespace {

double cost_of(const Judgement& judged, Metric metric, const Objective& objective) {
    switch (metric) {
        case Metric::energy: return judged.energy_pj;
        case Metric::delay: return static_cast<double>(judged.cycles);
        case Metric::product: return judged.energy_pj * static_cast<double>(judged.cycles);
        case Metric::weighted: return objective.score(judged.energy_pj, judged.cycles).value;
    }
    return 0.0;
}

enum class Verdict { worse, slightly_worse, slightly_better, better };

Verdict compared(const Contest& contest, std::size_t metric, const Judgement& candidate, const Judgement& incumbent) {
    constexpr double kTolerance = 0.001;
    const double old_cost = cost_of(incumbent, contest.metrics[metric], contest.objective);
    const double new_cost = cost_of(candidate, contest.metrics[metric], contest.objective);
    const double gain = old_cost == 0.0 ? 1.0 : (old_cost - new_cost) / old_cost;
    if (std::abs(gain) > kTolerance) return gain > 0.0 ? Verdict::better : Verdict::worse;
    if (metric + 1 < contest.metrics.size()) {
        const Verdict next = compared(contest, metric + 1, candidate, incumbent);
        if (next == Verdict::better || next == Verdict::worse) return next;
    }
    return gain > 0.0 ? Verdict::slightly_better : Verdict::slightly_worse;
}

}  // namespace

bool Contest::is_better(const Judgement& candidate, const Judgement& incumbent) const {
    const Verdict verdict = compared(*this, 0, candidate, incumbent);
    return verdict == Verdict::better || verdict == Verdict::slightly_better;
}

Contest contest_of(const Objective& objective) {
    const std::vector<Metric> product =
        objective.faster_of_equals ? std::vector{Metric::product, Metric::delay} : std::vector{Metric::product};
    switch (objective.kind) {
        case ObjectiveKind::energy: return {{Metric::energy}, objective};
        case ObjectiveKind::latency: return {{Metric::delay}, objective};
        case ObjectiveKind::edp:
        case ObjectiveKind::pareto: return {product, objective};
        case ObjectiveKind::weighted: return {{Metric::weighted}, objective};
    }
    return {};
}

Stream::Stream(const Space& space, const LeanEvaluator& evaluator, const Contest& contest, const WalkPlan& plan,
               const StreamLimits& limits)
    : space_(space),
      evaluator_(evaluator),
      contest_(contest),
      limits_(limits),
      walk_(make_walk(space, plan)),
      point_(evaluator.architecture().memory_count(), evaluator.einsum().dimension_count()) {}

std::optional<StreamEnd> Stream::ends() const {
    const auto reached = [](std::int64_t count, std::int64_t limit) { return limit > 0 && count == limit; };
    if (reached(result_.valid, limits_.search_size)) return StreamEnd::search_size;
    if (reached(since_best_, limits_.victory)) return StreamEnd::victory;
    if (reached(invalid_in_a_row_, limits_.timeout)) return StreamEnd::timeout;
    if (reached(result_.tried, limits_.tried)) return StreamEnd::tried;
    if (walk_->done()) return StreamEnd::exhausted;
    return std::nullopt;
}

bool Stream::run(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        if (const std::optional<StreamEnd> end = ends()) {
            result_.end = *end;
            return false;
        }
        pass_doomed();
        look();
    }
    return true;
}

// Timeloop compares with the mapping before from its third on.
bool Stream::only_bypass_changed() const {
    const Choice& now = walk_->choice();
    return result_.tried > 1 && now.factorization == before_.factorization && now.permutation == before_.permutation &&
           now.split == before_.split;
}

// Up to the last but one, or the last allowed by the limits: as if each had been tried.
void Stream::pass_doomed() {
    std::int64_t count = walk_->doomed();
    if (limits_.timeout > 0) count = std::min(count, limits_.timeout - invalid_in_a_row_);
    if (limits_.tried > 0) count = std::min(count, limits_.tried - result_.tried);
    if (count < 2) return;
    walk_->pass(count - 1);
    result_.tried += count - 1;
    result_.without_fanout += count - 1;
    invalid_in_a_row_ += count - 1;
}

void Stream::look() {
    const bool only_bypass = only_bypass_changed();
    before_ = walk_->choice();
    ++result_.tried;
    const Outcome outcome = space_.write(walk_->slice(), walk_->choice(), point_) ? judge(point_) : Outcome::no_fanout;
    note(outcome, only_bypass);
    walk_->report(outcome);
}

// Mappings illegal on our machines are invalid, too; Timeloop's own analysis is slow, so it comes last.
Outcome Stream::judge(const TilingPoint& point) {
    if (evaluator_.violation(point)) return Outcome::no_room;
    const account::TimeloopResult counted =
        account::timeloop(evaluator_.einsum(), evaluator_.architecture(), mapping_of(point));
    if (counted.refusal) return Outcome::no_room;
    compete(point, {counted.energy_pj, counted.cycles});
    return Outcome::valid;
}

void Stream::compete(const TilingPoint& point, const Judgement& judged) {
    ++since_best_;
    if (result_.best && !contest_.is_better(judged, result_.judged)) return;
    since_best_ = 0;
    result_.best = point;
    result_.judged = judged;
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
    result_.improvements.push_back({result_.valid + 1, since.count(), evaluator_.evaluate(point)});
}

// Tiles that do not fit count once for all choices of kept tensors.
void Stream::note(Outcome outcome, bool only_bypass) {
    if (outcome == Outcome::valid) {
        ++result_.valid;
        invalid_in_a_row_ = 0;
        return;
    }
    ++(outcome == Outcome::no_fanout ? result_.without_fanout : result_.without_room);
    if (outcome == Outcome::no_fanout || !only_bypass) ++invalid_in_a_row_;
}

}  // namespace tilewright::timeloop_search
