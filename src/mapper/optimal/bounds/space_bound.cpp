#include "mapper/optimal/bounds/space_bound.hpp"

#include <algorithm>

#include "mapper/optimal/bounds/compulsory_bound.hpp"
#include "mapper/optimal/geometry/assignments.hpp"

namespace tilewright::optimal {
namespace {

bool spreads_alike(const TilingPoint& one, const TilingPoint& other) {
    for (int l = 0; l < one.level_count(); ++l)
        if (one[l].spatial != other[l].spatial) return false;
    return true;
}

class Promising {
   public:
    explicit Promising(int most) : most_(static_cast<std::size_t>(most)) {}

    void offer(const TilingPoint& assignment, const Score& score) {
        if (most_ == 0 || (list_.size() == most_ && !(score < list_.back().score))) return;
        const auto same =
            std::ranges::find_if(list_, [&](const Listed& one) { return spreads_alike(one.assignment, assignment); });
        if (same != list_.end()) {
            if (!(score < same->score)) return;
            list_.erase(same);
        }
        if (list_.size() == most_) list_.pop_back();
        list_.insert(std::ranges::upper_bound(list_, score, {}, &Listed::score), {assignment, score});
    }

    std::vector<TilingPoint> take() {
        std::vector<TilingPoint> points;
        for (Listed& one : list_) points.push_back(one.assignment);
        return points;
    }

   private:
    struct Listed {
        TilingPoint assignment;
        Score score;
    };

    std::size_t most_;
    std::vector<Listed> list_;
};

}  // namespace

SpaceBound bound_of_space(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                          int promising, const StopSource* stop) {
    constexpr std::int64_t kMost = 200'000;  // some tenths of a second
    const lean::Setup setup(evaluator.einsum(), evaluator.architecture(), evaluator.prices());
    Promising list(promising);
    Score least;
    std::int64_t looked_at = 0;
    const bool all = visit_assignments(mapspace, [&](const TilingPoint& assignment) {
        if (looked_at++ == kMost || (stop != nullptr && stop->requested())) return false;
        const CompulsoryBound bound = compulsory_bound(setup, assignment);
        const Score score = objective.score(bound.energy_pj, bound.cycles);
        least = std::min(least, score);
        list.offer(assignment, score);
        return true;
    });
    return {all ? std::optional(least) : std::nullopt, list.take()};
}

}  // namespace tilewright::optimal
