#include "mapper/optimal/optimal.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "mapper/optimal/answer/answer.hpp"
#include "mapper/optimal/family_search.hpp"
#include "mapper/optimal/geometry/assignments.hpp"
#include "mapper/optimal/imperfect/remainder_search.hpp"
#include "mapper/optimal/small_space.hpp"
#include "mapper/strategies/hybrid.hpp"

namespace tilewright {
namespace {

using optimal::Answer;
using optimal::Question;

// Starts from a good mapping. The best one without remainders is proven fast and often close.
void warm_up(const Question& question, Budget budget, Answer& answer) {
    const Mapspace& mapspace = question.mapspace;
    const HybridMapper hybrid({.bounded = mapspace.has_temporal_remainders()});
    answer.begin_with(hybrid.search(mapspace, question.evaluator, question.objective, budget, {}));
    if (!mapspace.has_remainders()) return;
    const Mapspace even = mapspace.without_remainders();
    if (!even.problem().empty()) return;
    if (budget.time) *budget.time /= 4.0;
    answer.offer(OptimalMapper().search(even, question.evaluator, question.objective, budget, {}));
}

// With temporal remainders `hybrid` searches until it converges. Small rests are enumerated; else there is a bound.
SearchResult search_any_temporal_loops(const Question& question, bool warms_up, Answer& answer) {
    Budget budget = question.budget;
    if (budget.victory == 0 && !budget.evaluations) budget.victory = HybridMapper().default_victory();
    if (warms_up) warm_up(question, budget, answer);
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
    if (mapspace.has_temporal_remainders()) return search_any_temporal_loops(question, options_.warm_up > 0, answer);
    if (options_.warm_up > 0) {
        // Where legal mappings are rarer, the proof finds them sooner or shows there are none.
        constexpr std::int64_t kFruitless = 50'000;
        Budget first = budget;
        first.evaluations = options_.warm_up;
        first.fruitless = std::min(first.fruitless, kFruitless);
        warm_up(question, first, answer);
    }
    if (mapspace.has_remainders()) return search_with<optimal::RemainderSearch>(question, answer);
    return search_with<optimal::FamilySearch>(question, answer);
}

}  // namespace tilewright
