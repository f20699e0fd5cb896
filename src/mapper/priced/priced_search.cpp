#include "mapper/priced/priced_search.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "base/deadline.hpp"
#include "mapper/priced/part.hpp"
#include "mapper/priced/prices.hpp"

namespace tilewright {
namespace {

using priced::kSameSum;
using priced::Part;
using priced::PricedSearch;
using priced::PricedSpace;
using priced::PricedSpaces;
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
        memory.capacity_words =
            std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(*usable) * (1.0 - part)));
        memory.multiple_buffering = 1.0;
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
          priced_(priced::priced_spaces(problem, factors)) {}

    SearchResult run() {
        if (!priced_.refused.empty()) return refused(priced_.refused);
        for (const PricedSpace& space : priced_.spaces)
            if (!interrupt_.requested()) search_space(space);
        all_parts_ = !interrupt_.requested();
        if (is_even() && !is_closed())
            improve(parts_[counting_.best().part], counting_.best().part, effort_.tries, budget_.seed, interrupt_,
                    counting_);
        if (bounds() && is_even()) see_what_is_open();
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

    /// Points say all of the mappings: small changes of them are mappings, and all of them can be listed.
    bool is_even() const {
        const bool uneven = counting_.best().mapping && counting_.best().mapping->uneven;
        return !uneven && std::ranges::none_of(parts_, [](const Part& part) { return part.mapspace.has_remainders(); });
    }

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
            if (!one.bounds_only || bounds()) search(one, parts_.back());
    }

    void take_bound(const SearchResult& found, Part& part) const {
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

    // Among mappings of the last part. A tile may have room by the prices and none in truth.
    void search(const PricedSearch& search, Part& part) {
        Architecture machine = with_any_utilization(priced_.architecture);
        double less = 1.0 / 32;
        for (int shrinks = 0; shrinks <= kMostShrinks && !(shrinks > 0 && interrupt_.requested());
             ++shrinks, less *= 1.6) {
            const Mapspace mapspace(priced_.einsum, machine, search.constraints, factors_);
            if (!mapspace.problem().empty()) break;
            const LeanEvaluator evaluator(priced_.einsum, machine, search.prices);
            const SearchResult found = mapper_.search(mapspace, evaluator, objective_, budget_left(), progress_);
            statistics_.add(found.statistics);
            if (shrinks == 0) take_bound(found, part);
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

    bool is_open(const Part& part) const {
        if (!counting_.keeps_front()) return is_open(part.bound);
        return std::ranges::any_of(part.bounds, [&](const LeanCost& cost) { return counting_.may_be_better(cost); });
    }

    bool is_closed() const {
        return !counting_.best().mapping ||
               std::ranges::none_of(parts_, [&](const Part& part) { return is_open(part); });
    }

    void see_what_is_open() {
        for (std::size_t i = 0; i < parts_.size() && !interrupt_.requested(); ++i) {
            if (!is_open(parts_[i]) || !see_all(parts_[i], i, effort_.most_seen, interrupt_, counting_)) continue;
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
            for (const Part& part : parts_) least = std::min(least, is_open(part.bound) ? part.bound : best.score);
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
    std::vector<Part> parts_;
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
