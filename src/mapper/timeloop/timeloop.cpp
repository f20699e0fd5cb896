#include "mapper/timeloop/timeloop.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/deadline.hpp"
#include "mapper/mapper.hpp"
#include "mapper/timeloop/stream.hpp"

namespace tilewright::timeloop_search {
namespace {

// Telling: joint progress of a search's streams.

class Telling {
   public:
    Telling(const ProgressCallback& progress, const Objective& objective)
        : progress_(progress), objective_(objective) {}

    /// A stream's progress from `before` to `now`. From any thread.
    void tell(const StreamResult& before, const StreamResult& now);

   private:
    const ProgressCallback& progress_;
    const Objective& objective_;
    std::mutex mutex_;
    Progress all_;
};

SearchStatistics statistics_of(const StreamResult& stream) {
    SearchStatistics statistics;
    statistics.sampled = stream.tried;
    statistics.valid = stream.valid;
    statistics.evaluations = stream.valid;
    statistics.dead_ends = stream.without_fanout;
    statistics.invalid[static_cast<std::size_t>(ViolationKind::capacity)] = stream.without_room;
    statistics.chunks = 1;
    return statistics;
}

void Telling::tell(const StreamResult& before, const StreamResult& now) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    all_.statistics.sampled += now.tried - before.tried;
    all_.statistics.valid += now.valid - before.valid;
    all_.statistics.evaluations = all_.statistics.valid;
    all_.since_improvement += now.valid - before.valid;
    all_.improved = false;
    if (now.improvements.size() > before.improvements.size()) {
        const LeanCost& cost = now.improvements.back().cost;
        const Score score = objective_.score(cost.energy_pj, cost.cycles);
        all_.improved = score < all_.score;
        if (all_.improved) {
            all_.best = cost;
            all_.score = score;
            all_.since_improvement = 0;
        }
    }
    progress_(all_);
}

}  // namespace

}  // namespace tilewright::timeloop_search

namespace tilewright {
namespace {

using timeloop_search::Algorithm;
using timeloop_search::Contest;
using timeloop_search::Space;
using timeloop_search::Stream;
using timeloop_search::StreamEnd;
using timeloop_search::StreamLimits;
using timeloop_search::StreamResult;

using Clock = std::chrono::steady_clock;

StopReason reason_of(StreamEnd end, bool interrupted) {
    switch (end) {
        case StreamEnd::search_size: return StopReason::evaluations;
        case StreamEnd::victory: return StopReason::victory;
        case StreamEnd::timeout: return StopReason::fruitless;
        case StreamEnd::exhausted:
        case StreamEnd::tried: return StopReason::finished;
        case StreamEnd::cut: return interrupted ? StopReason::interrupted : StopReason::time;
    }
    return StopReason::finished;
}

// The first of the best: later ones have to be better.
const StreamResult* winner_of(const std::vector<StreamResult>& streams, const Contest& contest) {
    const StreamResult* winner = nullptr;
    for (const StreamResult& stream : streams) {
        if (!stream.best) continue;
        if (winner == nullptr || contest.is_better(stream.judged, winner->judged)) winner = &stream;
    }
    return winner;
}

// On the number of threads asked for, even beyond the cores.
void run_all(int streams, int threads_wanted, const std::function<void(int)>& run) {
    const int threads = threads_wanted > 0 ? threads_wanted : tbb::info::default_concurrency();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(threads, tbb::info::default_concurrency())));
    tbb::task_arena arena(threads);
    arena.execute([&] { tbb::parallel_for(0, streams, run, tbb::static_partitioner()); });
}

// The winner and its cost by the exact model, as for all mappers.
void put(const StreamResult& winner, const LeanEvaluator& evaluator, const Objective& objective, SearchResult& result) {
    result.best = FoundMapping{*winner.best};
    result.cost = evaluator.evaluate(*winner.best);
    result.score = objective.score(result.cost.energy_pj, result.cost.cycles);
    for (const timeloop_search::StreamImprovement& one : winner.improvements)
        result.improvements.push_back(
            {one.valid, one.seconds, one.cost, objective.score(one.cost.energy_pj, one.cost.cycles)});
    const auto [energy_pj, cycles] = winner.judged;
    constexpr double kSame = 1e-9;
    if (cycles == result.cost.cycles && std::abs(energy_pj - result.cost.energy_pj) <= kSame * energy_pj) return;
    result.remark = "the best by Timeloop's count: " + std::to_string(std::llround(energy_pj)) + " pJ and " +
                    std::to_string(cycles) + " cycles";
}

struct Name {
    Algorithm algorithm;
    std::string_view name;
    std::string_view description;
};

constexpr Name kNames[]{
    {Algorithm::hybrid, "timeloop-hybrid",
     "Timeloop's hybrid search: factors drawn, then all orders, splits and bypasses"},
    {Algorithm::random, "timeloop-random", "Timeloop's random search: factors, orders and splits drawn"},
    {Algorithm::random_pruned, "timeloop-random-pruned",
     "Timeloop's random-pruned search: as its hybrid, but some of the orders, drawn"},
    {Algorithm::linear_pruned, "timeloop-linear-pruned",
     "Timeloop's linear-pruned search: as its hybrid, but the factors counted"}};

const Name& name_for(Algorithm algorithm) { return *std::ranges::find(kNames, algorithm, &Name::algorithm); }

}  // namespace

std::vector<std::string_view> timeloop_mapper_names() {
    std::vector<std::string_view> names;
    for (const Name& one : kNames) names.push_back(one.name);
    return names;
}

std::unique_ptr<TimeloopMapper> make_timeloop_mapper(std::string_view name, TimeloopMapper::Options options) {
    const auto* const found = std::ranges::find(kNames, name, &Name::name);
    if (found == std::end(kNames)) return nullptr;
    return std::make_unique<TimeloopMapper>(found->algorithm, std::move(options));
}

TimeloopMapper::TimeloopMapper(Algorithm algorithm, Options options)
    : algorithm_(algorithm), options_(std::move(options)) {}

std::string_view TimeloopMapper::name() const { return name_for(algorithm_).name; }

std::string_view TimeloopMapper::description() const { return name_for(algorithm_).description; }

std::vector<StreamResult> TimeloopMapper::run(const Space& space, const LeanEvaluator& evaluator,
                                              const Contest& contest, const Budget& budget,
                                              const ProgressCallback& progress) const {
    const std::int64_t streams = options_.streams;
    const Clock::time_point begin = Clock::now();
    const Deadline deadline = deadline_after(begin, budget.time);
    timeloop_search::Telling telling(progress, contest.objective);
    std::vector<StreamResult> results(static_cast<std::size_t>(streams));
    run_all(options_.streams, budget.threads, [&](int number) {
        const auto index = static_cast<std::size_t>(number);
        const StreamLimits limits{budget.evaluations ? (*budget.evaluations + streams - 1) / streams : 0,
                                  budget.victory, options_.timeout,
                                  index < options_.tried.size() ? options_.tried[index] : 0};
        Stream stream(space, evaluator, contest,
                      {algorithm_, number, options_.streams, options_.orders_per_visit, budget.seed}, limits);
        constexpr std::int64_t kAtOnce = 64;
        bool goes_on = true;
        while (goes_on && !passed(deadline) && !(budget.stop != nullptr && budget.stop->requested())) {
            goes_on = stream.run(kAtOnce);
            telling.tell(results[index], stream.result());
            results[index] = stream.result();
        }
    });
    return results;
}

SearchResult TimeloopMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator,
                                    const Objective& objective, const Budget& budget,
                                    const ProgressCallback& progress) const {
    const Clock::time_point begin = Clock::now();
    SearchResult result;
    result.stopped = StopReason::empty_mapspace;
    if (!mapspace.problem().empty()) return result;
    const Space space(mapspace, evaluator.einsum(), evaluator.architecture());
    result.stopped = StopReason::too_large;
    result.remark = space.problem();
    if (!space.problem().empty()) return result;
    Contest contest = timeloop_search::contest_of(objective);
    if (!options_.metrics.empty()) contest.metrics = options_.metrics;
    const std::vector<StreamResult> streams = run(space, evaluator, contest, budget, progress);
    for (const StreamResult& stream : streams) result.statistics.add(timeloop_search::statistics_of(stream));
    const StreamResult* winner = winner_of(streams, contest);
    const bool interrupted = budget.stop != nullptr && budget.stop->requested();
    const bool is_cut = std::ranges::any_of(streams, [](const StreamResult& s) { return s.end == StreamEnd::cut; });
    const StreamEnd end = is_cut ? StreamEnd::cut : winner != nullptr ? winner->end : streams.front().end;
    result.stopped = reason_of(end, interrupted);
    if (winner != nullptr) put(*winner, evaluator, objective, result);
    result.statistics.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return result;
}

}  // namespace tilewright
