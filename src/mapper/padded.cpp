#include "mapper/padded.hpp"

#include <algorithm>
#include <utility>

#include "mapper/mapper.hpp"

namespace tilewright {
namespace {

// Joins the searches of several einsums, one after the other.
class Joined {
   public:
    Joined(const std::vector<Einsum>& einsums, const Objective& objective)
        : einsums_(einsums), wants_front_(objective.kind == ObjectiveKind::pareto) {}

    void take(const SearchResult& next, std::size_t einsum) {
        SearchResult& all = found_.result;
        if (next.stopped == StopReason::empty_mapspace) return skip(next);
        take_improvements(next);
        all.statistics.add(next.statistics);
        all.statistics.seconds += next.statistics.seconds;
        if (next.space) all.space = all.space.value_or(0.0) + *next.space;
        bound(next);
        for (const FrontPoint& point : next.front)
            front_.offer(point.mapping, point.cost, static_cast<std::int64_t>(einsum));
        if (!all.best || next.score < all.score) take_best(next, einsum);
        all.stopped = searched_++ == 0 ? next.stopped : joined(all.stopped, next.stopped);
    }

    const SearchStatistics& statistics() const { return found_.result.statistics; }

    /// Some einsums were not searched: they have no bound.
    void cut_short() {
        found_.result.stopped = StopReason::interrupted;
        bounded_ = false;
    }

    PaddedResult finish() {
        SearchResult& all = found_.result;
        all.front = front_.take();
        for (const FrontPoint& point : all.front) found_.front_einsums.push_back(einsums_[point.age]);
        if (bounded_ && all.best && !wants_front_) all.lower_bound = std::min(bound_, all.score.value);
        // A bound below its own einsum's best may lie above the best of all.
        if (all.stopped == StopReason::bounded && all.lower_bound && *all.lower_bound >= all.score.value)
            all.stopped = StopReason::proven;
        return std::move(found_);
    }

   private:
    void skip(const SearchResult& next) {
        if (searched_ == 0) found_.result.stopped = next.stopped;
    }

    void take_improvements(const SearchResult& next) {
        SearchResult& all = found_.result;
        for (Improvement improvement : next.improvements) {
            if (all.best && !(improvement.score < all.score)) continue;
            improvement.evaluations += all.statistics.evaluations;
            improvement.seconds += all.statistics.seconds;
            all.improvements.push_back(improvement);
        }
    }

    void take_best(const SearchResult& next, std::size_t einsum) {
        if (!next.best) return;
        found_.result.best = next.best;
        found_.result.cost = next.cost;
        found_.result.score = next.score;
        found_.result.remark = next.remark;
        found_.einsum = einsums_[einsum];
    }

    void bound(const SearchResult& next) {
        // Nothing fits: any bound holds.
        if (!next.best && next.stopped == StopReason::exhausted) return;
        bounded_ = bounded_ && next.lower_bound.has_value();
        bound_ = std::min(bound_, next.lower_bound.value_or(bound_));
    }

    // The weakest of two stop reasons.
    static StopReason joined(StopReason before, StopReason now) {
        for (const StopReason reason :
             {StopReason::interrupted, StopReason::time, StopReason::too_large, StopReason::evaluations,
              StopReason::fruitless, StopReason::victory, StopReason::finished, StopReason::solved, StopReason::bounded,
              StopReason::proven, StopReason::exhausted})
            if (before == reason || now == reason) return reason;
        return now;
    }

    const std::vector<Einsum>& einsums_;
    const bool wants_front_;
    PaddedResult found_;
    Front front_;
    int searched_ = 0;     ///< einsums with mappings
    bool bounded_ = true;  ///< every search had a bound
    double bound_ = Score{}.value;
};

// An equal share of the remaining budget for each of the `rest` later searches.
Budget share_of(const Budget& budget, const SearchStatistics& spent, std::size_t rest) {
    Budget share = budget;
    if (budget.evaluations)
        share.evaluations =
            std::max<std::int64_t>(1, (*budget.evaluations - spent.evaluations) / static_cast<std::int64_t>(rest));
    const std::chrono::duration<double> past(spent.seconds);
    if (budget.time)
        share.time = std::max(std::chrono::duration<double>(0.0), *budget.time - past) / static_cast<double>(rest);
    return share;
}

// Reports one einsum's progress as that of all; one bound is not a bound of all.
ProgressCallback among_all(const SearchStatistics& spent, const ProgressCallback& progress) {
    if (!progress) return {};
    return [spent, &progress](Progress now) {
        now.statistics.add(spent);
        now.space.reset();
        now.lower_bound.reset();
        progress(now);
    };
}

}  // namespace

PaddedResult search_paddings(const std::vector<Einsum>& einsums, const Objective& objective, const Budget& budget,
                             const SearchEinsum& search, const ProgressCallback& progress) {
    Joined joined(einsums, objective);
    for (std::size_t i = 0; i < einsums.size(); ++i) {
        const SearchStatistics& spent = joined.statistics();
        joined.take(search(einsums[i], share_of(budget, spent, einsums.size() - i), among_all(spent, progress)), i);
        if (budget.stop == nullptr || !budget.stop->requested()) continue;
        if (i + 1 < einsums.size()) joined.cut_short();
        break;
    }
    return joined.finish();
}

}  // namespace tilewright
