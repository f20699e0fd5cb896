#include "mapper/shortlist.hpp"

#include <algorithm>

#include "mapper/moves.hpp"

namespace tilewright {
namespace {

struct Listed {
    FrontPoint found;
    Score score;
};

/// Sorted by score; of equals the first stays in front.
class List {
   public:
    List(const FrontPoint& first, const Score& score, std::size_t most) : first_(first.mapping.point), most_(most) {
        all_.push_back({first, score});
    }

    const TilingPoint& at(std::size_t place) const { return all_[place].found.mapping.point; }
    std::size_t size() const { return all_.size(); }

    void offer(const TilingPoint& point, const LeanCost& cost, const Score& score) {
        if (all_.size() == most_ && !(score < all_.back().score)) return;
        const auto is_alike = [&](const Listed& one) {
            return one.found.cost.energy_pj == cost.energy_pj && one.found.cost.cycles == cost.cycles;
        };
        if (std::ranges::any_of(all_, is_alike)) return;
        if (all_.size() == most_ && !drop_last()) return;
        const auto place = std::ranges::upper_bound(all_, score, {}, &Listed::score);
        all_.insert(place, {{{point}, cost}, score});
    }

    std::vector<FrontPoint> take() {
        std::vector<FrontPoint> mappings;
        for (Listed& one : all_) mappings.push_back(std::move(one.found));
        return mappings;
    }

   private:
    // All but the first may go.
    bool drop_last() {
        const auto last = std::find_if(all_.rbegin(), all_.rend(),
                                       [&](const Listed& one) { return !(one.found.mapping.point == first_); });
        if (last == all_.rend()) return false;
        all_.erase(std::next(last).base());
        return true;
    }

    TilingPoint first_;
    std::size_t most_;
    std::vector<Listed> all_;
};

bool move_at_random(const Moves& moves, TilingPoint& point) {
    switch (moves.below(8)) {
        case 0:
        case 1: return moves.move_factor(point);
        case 2:
        case 3: return moves.swap_factors(point);
        case 4: return moves.swap_loops(point);
        case 5: return moves.move_loop(point);
        case 6: return moves.redraw_layout(point);
        default: return moves.flip_keep(point);
    }
}

}  // namespace

std::vector<FrontPoint> shortlist(const Mapspace& mapspace, const LeanEvaluator& evaluator, const TilingPoint& from,
                                  const Objective& objective, const ShortlistOptions& options) {
    const LeanCost own = evaluator.evaluate(from);
    List list({{from}, own}, objective.score(own.energy_pj, own.cycles), static_cast<std::size_t>(options.count));
    Random random(options.seed);
    const Moves moves(mapspace, random);
    LeanScratch scratch(options.stop);
    TilingPoint trial = from;
    try {
        for (std::int64_t i = 0; i < options.moves && !moves.none(); ++i) {
            throw_if_stopped(options.stop);
            trial = list.at(moves.below(list.size()));
            // Two moves at once get past an illegal mapping.
            bool changed = move_at_random(moves, trial);
            if (moves.below(2) == 0) changed = move_at_random(moves, trial) || changed;
            if (!changed || !mapspace.parallel_enough(trial)) continue;
            const LeanCost cost = evaluator.evaluate(trial, scratch);
            if (cost.valid()) list.offer(trial, cost, objective.score(cost.energy_pj, cost.cycles));
        }
    } catch (const Stopped&) {  // NOLINT(bugprone-empty-catch): the answer is the list so far
    }
    return list.take();
}

}  // namespace tilewright
