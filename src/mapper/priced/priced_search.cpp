#include "mapper/priced/priced_search.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "mapper/blocks.hpp"
#include "mapper/chunks.hpp"
#include "mapper/mapper.hpp"
#include "mapper/moves.hpp"
#include "mapper/optimal/optimal.hpp"
#include "mapper/priced/prices.hpp"
#include "mapspace/layer_problem.hpp"

namespace tilewright::priced {
namespace {

// Mappings that keep the same tensors, counted exactly as far as they may be better than the best so far. Internal to
// mapper/priced.

/// Sums of the two accounts are made in different orders.
inline constexpr double kSameSum = 1.0 - 1e-9;

/// The best mapping so far by the exact account; of a Pareto search the one of the least energy-delay product.
struct BestCounted {
    std::optional<FoundMapping> mapping;
    LeanCost cost;
    Score score;
    std::size_t part = 0;  ///< whose it is
};

/// Counts mappings and keeps the best, or those that no other one beats.
class Counting {
   public:
    /// `begin`: of the search.
    Counting(const LayerProblem& problem, const Objective& objective, std::chrono::steady_clock::time_point begin)
        : problem_(problem), objective_(objective), begin_(begin) {}

    /// The memories that it fills too much or too little; none, too, where it is illegal for another reason or not
    /// counted.
    std::vector<std::string> offer(const FoundMapping& mapping, std::size_t part);

    /// What costs at least that may be better than the best, or than all of the front.
    bool may_be_better(const LeanCost& least) const;

    const BestCounted& best() const { return best_; }
    bool keeps_front() const { return objective_.kind == ObjectiveKind::pareto; }
    const std::vector<FrontPoint>& front() const { return front_.points(); }
    std::int64_t counted() const { return counted_; }
    /// By mappings that were counted, not by those that prices ranked.
    const std::vector<Improvement>& improvements() const { return improvements_; }
    /// Why a mapping was not counted; "": all were.
    const std::string& uncounted() const { return uncounted_; }

   private:
    const LayerProblem& problem_;
    const Objective& objective_;
    const std::chrono::steady_clock::time_point begin_;
    BestCounted best_;
    Front front_;  ///< of a Pareto search
    std::vector<Improvement> improvements_;
    std::int64_t counted_ = 0;
    std::string uncounted_;
};

struct SpacePart {
    Mapspace mapspace;
    LeanEvaluator least;  ///< never more than the exact account, whatever the mapping
    Score bound = {};     ///< nothing of it has less
    /// Of a Pareto search: everything costs at least one of these in energy and latency.
    std::vector<LeanCost> bounds = {};

    bool may_beat(const TilingPoint& point, const Counting& counting) const {
        const LeanCost cost = least.evaluate(point);
        return cost.valid() && counting.may_be_better(cost);
    }
};

bool change(const Moves& moves, TilingPoint& point) {
    switch (moves.below(4)) {
        case 0: return moves.swap_factors(point);
        case 1: return moves.swap_loops(point) || moves.move_factor(point);
        case 2: return moves.move_loop(point) || moves.move_factor(point);
        default: return moves.move_factor(point);
    }
}

std::vector<std::string> unfit(const std::vector<Violation>& violations) {
    std::vector<std::string> memories;
    for (const Violation& one : violations) {
        if (one.kind != ViolationKind::capacity && one.kind != ViolationKind::min_utilization) return {};
        memories.push_back(one.level);
    }
    return memories;
}

std::vector<std::string> Counting::offer(const FoundMapping& found, std::size_t part) {
    const std::optional<Mapping> mapping = mapping_of(found, problem_.einsum);
    if (!mapping) return {};
    LayerCosts costs = costs_of(problem_, *mapping);
    if (!costs.violations.empty()) return unfit(costs.violations);
    ++counted_;
    if (!costs.evaluation) {
        uncounted_ = std::move(costs.uncounted);
        return {};
    }
    const LeanCost cost{std::nullopt, costs.evaluation->energy_pj, costs.evaluation->cycles};
    const Score score = objective_.score(cost.energy_pj, cost.cycles);
    if (keeps_front()) front_.offer(found, cost, 0);
    if (best_.mapping && !(score < best_.score)) return {};
    best_ = {found, cost, score, part};
    if (keeps_front()) return {};
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
    improvements_.push_back({counted_, since.count(), cost, score});
    return {};
}

bool Counting::may_be_better(const LeanCost& least) const {
    if (!keeps_front()) return !best_.mapping || objective_.score(least.energy_pj, least.cycles) < best_.score;
    return std::ranges::none_of(front(), [&](const FrontPoint& point) {
        return point.cost.energy_pj * kSameSum <= least.energy_pj && point.cost.cycles <= least.cycles;
    });
}

/// Small changes of the best mapping so far, which is of this part, as long as they make it better.
void improve(const SpacePart& part, std::size_t number, int tries, std::uint64_t seed, const Interrupt& interrupt,
             Counting& counting) {
    constexpr std::int64_t kMostCounted = 400;
    if (!counting.best().mapping) return;
    Random random(Random::split(seed, number));
    const Moves moves(part.mapspace, random);
    if (moves.none()) return;
    const std::int64_t begin = counting.counted();
    for (int i = 0; i < tries && counting.counted() - begin < kMostCounted && !interrupt.requested(); ++i) {
        TilingPoint point = counting.best().mapping->point;
        bool changed = false;
        for (std::size_t k = 0, n = 1 + moves.below(3); k < n; ++k) changed |= change(moves, point);
        if (!changed || !part.mapspace.parallel_enough(point)) continue;
        if (part.may_beat(point, counting)) counting.offer({point}, number);
    }
}

/// Counts every mapping that may be better than the best so far. False, having done less, where there are more than
/// `most` mappings, or far too many of them to be counted.
bool see_all(const SpacePart& part, std::size_t number, double most, const Interrupt& interrupt, Counting& counting) {
    constexpr std::int64_t kMostCounted = 20'000;
    if (!(most > 0.0) || count_mappings(part.mapspace, most, interrupt) > most) return false;
    const std::int64_t begin = counting.counted();
    return part.mapspace.enumerate([&](const TilingPoint& point) {
        if (interrupt.requested() || counting.counted() - begin >= kMostCounted) return false;
        if (part.may_beat(point, counting)) counting.offer({point}, number);
        return true;
    });
}

}  // namespace

}  // namespace tilewright::priced

namespace tilewright {
namespace {

using priced::kSameSum;
using priced::PricedSearch;
using priced::PricedSpace;
using priced::PricedSpaces;
using priced::SpacePart;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Of a search whose answer has no room, in smaller memories each time.
constexpr int kMostShrinks = 8;

/// How far memories have to be filled is counted exactly.
Architecture with_any_utilization(Architecture machine) {
    for (Memory& memory : machine.memories) memory.min_utilization = 0.0;
    return machine;
}

/// Memories that do not fit what was found, smaller by so much of what they are, and to be filled as far as they say.
Architecture shrunk(Architecture machine, const Architecture& whole, const std::vector<std::string>& crowded,
                    double part) {
    for (std::size_t m = 0; m < machine.memories.size(); ++m) {
        Memory& memory = machine.memories[m];
        memory.min_utilization = whole.memories[m].min_utilization;
        const std::optional<std::int64_t> usable = whole.memories[m].usable_words();
        if (!usable || std::ranges::find(crowded, memory.name) == crowded.end()) continue;
        memory.set_usable_words(
            std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(*usable) * (1.0 - part))));
    }
    return machine;
}

class PricedMapping {
   public:
    PricedMapping(const LayerProblem& problem, FactorRule factors, const Mapper& mapper, const Objective& objective,
                  const Budget& budget, const ProgressCallback& progress, const PricedEffort& effort)
        : factors_(factors),
          mapper_(mapper),
          objective_(objective),
          budget_(budget),
          progress_(progress),
          effort_(effort),
          interrupt_(budget.stop, deadline_after(Clock::now(), budget.time)),
          counting_(problem, objective, begin_),
          priced_(priced::priced_spaces(problem, factors, mapper.is_uneven())) {}

    SearchResult run() {
        if (!priced_.refused.empty()) return refused(priced_.refused);
        for (const PricedSpace& space : priced_.spaces)
            if (!interrupt_.requested()) search_space(space);
        all_parts_ = !interrupt_.requested();
        if (!is_closed() && !counting_.best().mapping->uneven)
            improve(parts_[counting_.best().part], counting_.best().part, effort_.tries, budget_.seed, interrupt_,
                    counting_);
        if (bounds()) see_what_is_open();
        return finished();
    }

   private:
    static SearchResult refused(std::string why) {
        SearchResult result;
        result.stopped = StopReason::fruitless;
        result.remark = std::move(why);
        return result;
    }

    /// The mapper bounds what it does not see.
    bool bounds() const { return mapper_.name() == "optimal" || mapper_.name() == "exhaustive"; }

    Budget budget_left() const {
        Budget left = budget_;
        if (left.time) *left.time = std::max(Seconds(0.0), Seconds(*budget_.time - (Clock::now() - begin_)));
        return left;
    }

    // What nothing found or left open in a search is less than.
    static Score bound_of(const SearchResult& found) {
        if (is_proven(found)) return found.score;
        if (found.lower_bound) return {*found.lower_bound, 0.0};
        const bool none =
            !found.best && (found.stopped == StopReason::exhausted || found.stopped == StopReason::empty_mapspace);
        return none ? Score{} : Score{0.0, 0.0};
    }

    void search_space(const PricedSpace& space) {
        Mapspace mapspace(priced_.einsum, priced_.architecture, space.constraints, factors_);
        if (!mapspace.problem().empty()) return;
        parts_.push_back(
            {std::move(mapspace), {priced_.einsum, with_any_utilization(priced_.architecture), space.least}});
        for (const PricedSearch& one : space.searches)
            if (!one.bounds_only || bounds()) {
                if (mapper_.is_uneven()) search(OptimalMapper(), one, false, parts_.back());
                search(mapper_, one, true, parts_.back());
            }
    }

    void take_bound(const SearchResult& found, SpacePart& part) const {
        const Score bound = bound_of(found);
        part.bound = std::min(part.bound, bound);
        if (!counting_.keeps_front()) return;
        if (is_proven(found))
            for (const FrontPoint& point : found.front) part.bounds.push_back(point.cost);
        else if (bound < Score{})
            part.bounds.push_back({std::nullopt, 0.0, 0});
    }

    // Memories that have no room for what was found.
    std::vector<std::string> counted(const SearchResult& found) {
        if (!counting_.keeps_front()) return counting_.offer(*found.best, parts_.size() - 1);
        std::vector<std::string> crowded;
        for (const FrontPoint& point : found.front)
            std::ranges::move(counting_.offer(point.mapping, parts_.size() - 1), std::back_inserter(crowded));
        return crowded;
    }

    // Among mappings of the last part, all of them where it `bounds` the part. A tile may have room by the prices and
    // none in truth.
    void search(const Mapper& mapper, const PricedSearch& search, bool bounds, SpacePart& part) {
        Architecture machine = with_any_utilization(priced_.architecture);
        double less = 1.0 / 32;
        for (int shrinks = 0; shrinks <= kMostShrinks && !(shrinks > 0 && interrupt_.requested());
             ++shrinks, less *= 1.6) {
            const Mapspace mapspace(priced_.einsum, machine, search.constraints, factors_);
            if (!mapspace.problem().empty()) break;
            const LeanEvaluator evaluator(priced_.einsum, machine, search.prices);
            const SearchResult found = mapper.search(mapspace, evaluator, objective_, budget_left(), progress_);
            statistics_.add(found.statistics);
            if (shrinks == 0 && bounds) take_bound(found, part);
            if (!found.best) break;
            const std::vector<std::string> crowded = counted(found);
            if (crowded.empty()) break;
            crowded_ = crowded.front();
            machine = shrunk(std::move(machine), priced_.architecture, crowded, less);
        }
    }

    // Mappings with this bound may be better than the best so far.
    bool is_open(const Score& bound) const {
        const Score& best = counting_.best().score;
        if (bound.value < best.value * kSameSum) return true;
        return objective_.kind == ObjectiveKind::latency && bound.value <= best.value &&
               bound.tie < best.tie * kSameSum;
    }

    bool is_open(const SpacePart& part) const {
        if (!counting_.keeps_front()) return is_open(part.bound);
        return std::ranges::any_of(part.bounds, [&](const LeanCost& cost) { return counting_.may_be_better(cost); });
    }

    bool is_closed() const {
        return !counting_.best().mapping ||
               std::ranges::none_of(parts_, [&](const SpacePart& part) { return is_open(part); });
    }

    void see_what_is_open() {
        for (std::size_t i = 0; i < parts_.size() && !interrupt_.requested(); ++i) {
            if (!is_open(parts_[i]) || !see_all(parts_[i], i, effort_.most_seen, interrupt_, counting_)) continue;
            if (mapper_.is_uneven()) continue;  // points are the even ones
            parts_[i].bound = Score{};
            parts_[i].bounds.clear();
        }
    }

    SearchResult finished() {
        SearchResult result;
        const priced::BestCounted& best = counting_.best();
        result.best = best.mapping;
        result.cost = best.cost;
        result.score = best.score;
        result.statistics = statistics_;
        result.statistics.evaluations += counting_.counted();
        result.statistics.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
        result.improvements = counting_.improvements();
        result.front = counting_.front();
        result.stopped = reason();
        if (best.mapping && bounds() && all_parts_ && !counting_.keeps_front()) {
            Score least = best.score;
            for (const SpacePart& part : parts_) least = std::min(least, is_open(part.bound) ? part.bound : best.score);
            result.lower_bound = least.value;
        }
        result.remark = remark();
        return result;
    }

    StopReason reason() const {
        if (interrupt_.interrupted()) return StopReason::interrupted;
        if (interrupt_.timed_out()) return StopReason::time;
        if (!counting_.best().mapping) return StopReason::fruitless;
        if (!bounds()) return StopReason::finished;
        return all_parts_ && is_closed() ? StopReason::proven : StopReason::bounded;
    }

    std::string remark() const {
        const std::string& why = counting_.uncounted().empty() ? priced_.left_out : counting_.uncounted();
        if (why.empty() && !counting_.best().mapping && !crowded_.empty())
            return "the mappings that were found have no room in " + crowded_;
        if (why.empty()) return "";
        if (!counting_.best().mapping) return "no mapping was found that the model counts: " + why;
        return "without the mappings that the model does not count: " + why;
    }

    const FactorRule factors_;
    const Mapper& mapper_;
    const Objective& objective_;
    const Budget& budget_;
    const ProgressCallback& progress_;
    const PricedEffort& effort_;
    const Clock::time_point begin_ = Clock::now();
    Interrupt interrupt_;
    priced::Counting counting_;
    const PricedSpaces priced_;
    std::vector<SpacePart> parts_;
    SearchStatistics statistics_;
    std::string crowded_;  ///< a memory that had no room for what was found
    bool all_parts_ = false;
};

}  // namespace

SearchResult search_priced(const LayerProblem& problem, FactorRule factors, const Mapper& mapper,
                           const Objective& objective, const Budget& budget, const ProgressCallback& progress,
                           const PricedEffort& effort) {
    return PricedMapping(problem, factors, mapper, objective, budget, progress, effort).run();
}

}  // namespace tilewright
