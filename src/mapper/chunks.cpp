#include "mapper/chunks.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace tilewright {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// Takes finished chunks in order and decides when the search ends.
class Judge {
   public:
    Judge(const Budget& budget, const ProgressCallback& progress, Interrupt& interrupt)
        : budget_(budget), progress_(progress), interrupt_(interrupt) {}

    bool done() const { return done_; }
    std::int64_t evaluations_left() const {
        return budget_.evaluations ? *budget_.evaluations - result_.statistics.evaluations : kNoLimit;
    }

    void take(const Chunk& chunk) {
        result_.statistics.add(chunk.statistics);
        const bool improved = chunk.best && (!result_.best || chunk.best_score < result_.score);
        if (improved) {
            result_.best = chunk.best;
            result_.score = chunk.best_score;
            result_.cost = chunk.best_cost;
            since_improvement_ = chunk.statistics.valid - chunk.valid_at_best;
        } else {
            since_improvement_ += chunk.statistics.valid;
        }
        fruitless_ = chunk.statistics.valid > 0 ? 0 : fruitless_ + chunk.statistics.sampled;
        if (progress_) progress_({result_.statistics, since_improvement_, result_.cost, result_.score, improved});
        judge();
    }

    SearchResult result() { return std::move(result_); }

   private:
    void judge() {
        if (interrupt_.interrupted()) return end(StopReason::interrupted);
        if (interrupt_.timed_out()) return end(StopReason::time);
        if (evaluations_left() <= 0) return end(StopReason::evaluations);
        if (budget_.victory > 0 && result_.best && since_improvement_ >= budget_.victory)
            return end(StopReason::victory);
        if (fruitless_ >= budget_.fruitless) return end(StopReason::fruitless);
    }

    void end(StopReason reason) {
        result_.stopped = reason;
        done_ = true;
        interrupt_.settle();
    }

    const Budget& budget_;
    const ProgressCallback& progress_;
    Interrupt& interrupt_;
    SearchResult result_;
    std::int64_t since_improvement_ = 0;
    std::int64_t fruitless_ = 0;
    bool done_ = false;
};

struct Numbered {
    std::uint64_t number;
    std::unique_ptr<Chunk> chunk;
};

}  // namespace

void SearchStatistics::add(const SearchStatistics& other) {
    sampled += other.sampled;
    valid += other.valid;
    evaluations += other.evaluations;
    dead_ends += other.dead_ends;
    for (std::size_t i = 0; i < invalid.size(); ++i) invalid[i] += other.invalid[i];
    chunks += other.chunks;
}

Score Chunk::propose(const PerfectPoint& point) {
    ++statistics.sampled;
    const LeanCost cost = evaluator.evaluate(point, scratch_);
    if (cost.violation) {
        ++statistics.invalid[static_cast<std::size_t>(*cost.violation)];
        return {};
    }
    ++statistics.valid;
    ++statistics.evaluations;
    const Score score = objective.score(cost.energy_pj, cost.cycles);
    if (!best || score < best_score) {
        best = point;
        best_score = score;
        best_cost = cost;
        valid_at_best = statistics.valid;
    }
    return score;
}

bool Chunk::over() {
    if (over_ || statistics.evaluations >= most_evaluations_) return true;
    constexpr std::int64_t kPollEvery = 256;
    if (++polls_ % kPollEvery == 0) over_ = interrupt_.requested();
    return over_;
}

SearchResult search_in_chunks(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                              const Budget& budget, const ProgressCallback& progress,
                              const std::function<void(Chunk&)>& work) {
    const auto begin = std::chrono::steady_clock::now();
    if (!mapspace.problem().empty()) {
        SearchResult nothing;
        nothing.stopped = StopReason::empty_mapspace;
        return nothing;
    }
    Deadline deadline;
    if (budget.time) deadline = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(*budget.time);
    Interrupt interrupt(budget.stop, deadline);
    Judge judge(budget, progress, interrupt);
    const auto run = [&](std::uint64_t number, std::int64_t most) {
        auto chunk = std::make_unique<Chunk>(mapspace, evaluator, objective, Random::split(budget.seed, number), most,
                                             interrupt);
        work(*chunk);
        chunk->statistics.chunks = 1;
        return chunk;
    };
    const auto take = [&](Numbered numbered) {
        if (judge.done()) return;
        const std::int64_t left = judge.evaluations_left();
        // The last chunk may only do part of its work: do that part again, alone.
        if (numbered.chunk->statistics.evaluations > left) numbered.chunk = run(numbered.number, left);
        judge.take(*numbered.chunk);
    };
    const std::int64_t most = budget.evaluations.value_or(kNoLimit);
    const int threads = budget.threads > 0 ? budget.threads : tbb::info::default_concurrency();
    std::uint64_t next = 0;
    // As many as asked for, also where the machine has fewer cores.
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(threads, tbb::info::default_concurrency())));
    tbb::task_arena arena(threads);
    arena.execute([&] {
        tbb::parallel_pipeline(2 * static_cast<std::size_t>(threads),
                               tbb::make_filter<void, std::uint64_t>(tbb::filter_mode::serial_in_order,
                                                                     [&](tbb::flow_control& control) {
                                                                         if (interrupt.requested() && next > 0)
                                                                             control.stop();
                                                                         return next++;
                                                                     }) &
                                   tbb::make_filter<std::uint64_t, std::shared_ptr<Numbered>>(
                                       tbb::filter_mode::parallel,
                                       [&](std::uint64_t number) {
                                           return std::make_shared<Numbered>(Numbered{number, run(number, most)});
                                       }) &
                                   tbb::make_filter<std::shared_ptr<Numbered>, void>(
                                       tbb::filter_mode::serial_in_order,
                                       [&](const std::shared_ptr<Numbered>& numbered) { take(std::move(*numbered)); }));
    });
    SearchResult result = judge.result();
    result.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

}  // namespace tilewright
