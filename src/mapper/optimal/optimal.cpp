#include "mapper/optimal/optimal.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <algorithm>
#include <optional>
#include <vector>

#include "mapper/blocks.hpp"
#include "mapper/chunks.hpp"
#include "mapper/optimal/answer/answer.hpp"
#include "mapper/optimal/bounds/compulsory_bound.hpp"
#include "mapper/optimal/family_search.hpp"
#include "mapper/optimal/geometry/assignments.hpp"
#include "mapper/optimal/imperfect/remainder_search.hpp"
#include "mapper/strategies/exhaustive.hpp"
#include "mapper/strategies/hybrid.hpp"

namespace tilewright::optimal {
namespace {

// Spaces with temporal remainders: tiles of any size, so no label setting. All mappings of an assignment (spatial
// factors, kept tensors) are costed if they are few.

/// The assignments of a space with a bound (compulsory_bound.hpp) below the best mapping.
class SmallSpace {
   public:
    /// Keeps references to both.
    SmallSpace(const Question& question, Answer& answer) : question_(question), answer_(answer) {}

    /// Lists and bounds the assignments. False if stopped: the list is incomplete.
    bool list();
    /// Costs all mappings of the assignments, lowest bound first. Ends, with the rest left open, at an assignment with
    /// too many mappings or after too many in total.
    void run();

   private:
    struct Listed {
        Assignment assignment;
        Bound bound;
        Score score;
    };

    bool cost(const Listed& listed);
    std::optional<Budget> budget_left() const;

    const Question& question_;
    Answer& answer_;
    std::vector<Listed> listed_;  ///< by bound
    double mappings_ = 0.0;       ///< of the assignments costed
};

constexpr std::size_t kMostAssignments = 100'000;
// A few seconds on a machine of three memories.
constexpr double kMostMappings = 1'000'000.0;  // of all assignments; those that do not fit take little time
constexpr std::int64_t kMostEvaluations = 200'000;

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

}  // namespace

}  // namespace tilewright::optimal

namespace tilewright {
namespace {

using optimal::Answer;
using optimal::Question;

// Starts from a good mapping. The best one without remainders is proven fast and often close.
void warm_up(const Question& question, Budget budget, const OptimalMapper::Options& options, Answer& answer) {
    const Mapspace& mapspace = question.mapspace;
    const HybridMapper hybrid({.bounded = mapspace.has_temporal_remainders()});
    answer.begin_with(hybrid.search(mapspace, question.evaluator, question.objective, budget, {}));
    if (!mapspace.has_remainders()) return;
    const Mapspace even = mapspace.without_remainders();
    if (!even.problem().empty()) return;
    if (budget.time) *budget.time /= 4.0;
    const OptimalMapper optimal({.warm_up = options.warm_up});
    answer.offer(optimal.search(even, question.evaluator, question.objective, budget, {}));
}

// Whether `hybrid` finds a first mapping: not in a space of fewer mappings than it evaluates for that.
bool begins_by_chance(const Question& question, const OptimalMapper::Options& options) {
    if (options.warm_up <= 0 || options.uneven) return options.warm_up > 0;
    const Mapspace& space = question.mapspace;
    const bool converges = space.has_temporal_remainders();  // `hybrid` searches until it does
    if (converges && space.size().tilings > optimal::kMostMappings) return true;
    std::int64_t few = converges ? HybridMapper().default_victory() : options.warm_up;
    few = std::min(few, question.budget.evaluations.value_or(few));
    const Interrupt interrupt(question.budget.stop, {});
    return count_mappings(space, static_cast<double>(few), interrupt) > static_cast<double>(few) ||
           interrupt.requested();
}

// With temporal remainders `hybrid` searches until it converges. Small rests are enumerated; else there is a bound.
SearchResult search_any_temporal_loops(const Question& question, const OptimalMapper::Options& options,
                                       Answer& answer) {
    Budget budget = question.budget;
    if (budget.victory == 0 && !budget.evaluations) budget.victory = HybridMapper().default_victory();
    if (begins_by_chance(question, options)) warm_up(question, budget, options, answer);
    optimal::SmallSpace space(question, answer);
    const bool all_listed = space.list();
    space.run();
    return answer.finish(all_listed);
}

template <class Search>
SearchResult search_with(const Question& question, Answer& answer) {
    Search search(question, answer);
    const bool all_listed = search.list();
    const int threads = question.budget.threads > 0 ? question.budget.threads : tbb::info::default_concurrency();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(threads, tbb::info::default_concurrency())));
    tbb::task_arena arena(threads);
    arena.execute([&search] { search.run(); });
    return answer.finish(all_listed);
}

}  // namespace

// Layers of ResNet-50 have at most 6,400 assignments on machines of the zoo, proven in seconds; or mostly far more.
bool OptimalMapper::is_quick(const Mapspace& mapspace) {
    constexpr int kMany = 10'000;
    if (!mapspace.has_remainders()) return true;
    if (mapspace.has_temporal_remainders()) return false;
    int count = 0;
    return optimal::visit_assignments(mapspace, [&count](const TilingPoint&) { return ++count < kMany; });
}

SearchResult OptimalMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                   const Budget& budget, const ProgressCallback& progress) const {
    if (!mapspace.problem().empty()) {
        SearchResult nothing;
        nothing.stopped = StopReason::empty_mapspace;
        return nothing;
    }
    const Question question(mapspace, evaluator, objective, budget, options_.uneven, options_.steps);
    Answer answer(question, progress);
    if (mapspace.has_temporal_remainders()) return search_any_temporal_loops(question, options_, answer);
    if (begins_by_chance(question, options_)) {
        // Where legal mappings are rarer, the proof finds them sooner or shows there are none.
        constexpr std::int64_t kFruitless = 50'000;
        Budget first = budget;
        first.evaluations = options_.warm_up;
        first.fruitless = std::min(first.fruitless, kFruitless);
        warm_up(question, first, options_, answer);
    }
    if (mapspace.has_remainders()) return search_with<optimal::RemainderSearch>(question, answer);
    return search_with<optimal::FamilySearch>(question, answer);
}

}  // namespace tilewright
