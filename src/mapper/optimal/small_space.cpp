#include "mapper/optimal/small_space.hpp"

#include <algorithm>

#include "mapper/optimal/bounds/compulsory_bound.hpp"
#include "mapper/strategies/exhaustive.hpp"

namespace tilewright::optimal {
namespace {

constexpr std::size_t kMostAssignments = 100'000;
// A few seconds on a machine of three memories.
constexpr double kMostMappings = 1'000'000.0;  // of all assignments; those that do not fit take little time
constexpr std::int64_t kMostEvaluations = 200'000;

}  // namespace

bool SmallSpace::list() {
    const Incumbent incumbent = answer_.incumbent();
    const bool all = visit_assignments(question_.mapspace, [&](const TilingPoint& assignment) {
        const CompulsoryBound compulsory = compulsory_bound(question_.setup, assignment);
        const Bound bound{compulsory.energy_pj, compulsory.cycles};
        const Score score = question_.judge.score(bound);
        if (listed_.size() == kMostAssignments) {
            answer_.leave_open(score);
        } else if (!question_.judge.pruned(bound, incumbent)) {
            listed_.push_back({Assignment(assignment), bound, score});
        }
        return !question_.stop();
    });
    std::ranges::stable_sort(listed_, {}, &Listed::score);
    return all;
}

void SmallSpace::run() {
    for (const Listed& listed : listed_) {
        if (question_.judge.pruned(listed.bound, answer_.incumbent())) continue;
        answer_.tell(listed.score.value);
        if (cost(listed)) continue;
        answer_.leave_open(listed.score);  // and all later ones
        return;
    }
}

// True if every mapping was costed.
bool SmallSpace::cost(const Listed& listed) {
    const std::optional<Budget> budget = budget_left();
    if (!budget || question_.stop()) return false;
    const Mapspace mapspace = question_.mapspace.of_assignment(listed.assignment.point(question_.mapspace));
    if (mapspace.size().tilings > kMostMappings - mappings_) return false;
    const SearchResult found =
        ExhaustiveMapper().search(mapspace, question_.evaluator, question_.objective, *budget, {});
    answer_.take(found);
    mappings_ += found.space.value_or(0.0);
    return found.stopped == StopReason::exhausted || found.stopped == StopReason::empty_mapspace;
}

// Nothing once used up.
std::optional<Budget> SmallSpace::budget_left() const {
    Budget left = question_.budget;
    left.largest_space = static_cast<std::int64_t>(kMostMappings - mappings_);
    left.evaluations = left.evaluations.value_or(kMostEvaluations) - answer_.statistics().evaluations;
    if (left.time) *left.time -= std::chrono::steady_clock::now() - question_.begin;
    if (left.largest_space <= 0 || *left.evaluations <= 0 || (left.time && left.time->count() <= 0.0))
        return std::nullopt;
    return left;
}

}  // namespace tilewright::optimal
