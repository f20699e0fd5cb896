#include "mapper/chunks.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/deadline.hpp"
#include "base/required.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// Takes finished chunks in order and ends the search.
class Judge {
   public:
    Judge(const Objective& objective, const Budget& budget, const ProgressCallback& progress, Interrupt& interrupt)
        : wants_front_(objective.kind == ObjectiveKind::pareto),
          budget_(budget),
          progress_(progress),
          interrupt_(interrupt) {}

    bool done() const { return done_; }
    std::int64_t evaluations_left() const {
        return budget_.evaluations ? *budget_.evaluations - result_.statistics.evaluations : kNoLimit;
    }

    void take(const Chunk& chunk) {
        const std::int64_t last_improvement = wants_front_ ? take_front(chunk) : take_best(chunk);
        const bool improved = last_improvement > 0;
        since_improvement_ = (improved ? -last_improvement : since_improvement_) + chunk.statistics.valid;
        result_.statistics.add(chunk.statistics);
        fruitless_ = chunk.statistics.valid > 0 ? 0 : fruitless_ + chunk.statistics.sampled;
        if (progress_)
            progress_({result_.statistics, since_improvement_, result_.cost, result_.score, improved, std::nullopt,
                       std::nullopt});
        judge();
    }

    /// Dealing ended before the work, perhaps after all dealt chunks were judged.
    void cut_short() {
        if (!done_) judge();
    }

    SearchResult result() {
        if (wants_front_) result_.front = front_.take();
        return std::move(result_);
    }

   private:
    // Number of the chunk's valid mapping with the last improvement; 0: none.
    std::int64_t take_best(const Chunk& chunk) {
        for (Improvement improvement : chunk.improvements) {
            if (!(improvement.score < result_.score)) continue;
            improvement.evaluations += result_.statistics.evaluations;
            result_.improvements.push_back(improvement);
        }
        if (!chunk.best || (result_.best && !(chunk.best_score < result_.score))) return 0;
        result_.best = FoundMapping{*chunk.best};
        result_.score = chunk.best_score;
        result_.cost = chunk.best_cost;
        return chunk.valid_at_best;
    }

    std::int64_t take_front(const Chunk& chunk) {
        std::int64_t last = 0;
        for (const FrontPoint& candidate : chunk.front.points())
            if (front_.offer(candidate.mapping, candidate.cost, candidate.age)) last = std::max(last, candidate.age);
        if (last == 0) return 0;
        for (const FrontPoint& candidate : front_.points()) {
            const Score score = Objective{}.score(candidate.cost.energy_pj, candidate.cost.cycles);
            if (result_.best && !(score < result_.score)) continue;
            result_.best = candidate.mapping;
            result_.score = score;
            result_.cost = candidate.cost;
        }
        return last;
    }

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

    const bool wants_front_;
    const Budget& budget_;
    const ProgressCallback& progress_;
    Interrupt& interrupt_;
    SearchResult result_;
    Front front_;
    std::int64_t since_improvement_ = 0;
    std::int64_t fruitless_ = 0;
    bool done_ = false;
};

struct Numbered {
    std::uint64_t number = 0;
    std::vector<Block> blocks;
    std::unique_ptr<Chunk> chunk;
};

// Target of chunk `number` on the front: the energy-delay product, the ends, then ever denser between them.
Objective guide(const Objective& objective, std::uint64_t number) {
    if (objective.kind != ObjectiveKind::pareto) return objective;
    if (number == 0) return {ObjectiveKind::edp};
    if (number == 1) return {ObjectiveKind::energy};
    if (number == 2) return {ObjectiveKind::latency};
    double weight = 0.0;
    double step = 0.5;
    for (std::uint64_t digits = number - 1; digits != 0; digits >>= 1, step /= 2.0)
        if ((digits & 1U) != 0) weight += step;
    return {ObjectiveKind::weighted, weight, 1.0 - weight};
}

using Item = std::shared_ptr<Numbered>;

// Deals and takes items in order, runs them in parallel. Uses all threads asked for, even beyond the cores.
void run_pipeline(int threads_wanted, const std::function<Item(tbb::flow_control&)>& deal,
                  const std::function<void(Numbered&)>& run, const std::function<void(Numbered&)>& take) {
    const int threads = threads_wanted > 0 ? threads_wanted : tbb::info::default_concurrency();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(threads, tbb::info::default_concurrency())));
    const auto run_item = [&](Item item) {
        run(*item);
        return item;
    };
    const auto take_item = [&](const Item& item) { take(*item); };
    tbb::task_arena arena(threads);
    arena.execute([&] {
        tbb::parallel_pipeline(2 * static_cast<std::size_t>(threads),
                               tbb::make_filter<void, Item>(tbb::filter_mode::serial_in_order, deal) &
                                   tbb::make_filter<Item, Item>(tbb::filter_mode::parallel, run_item) &
                                   tbb::make_filter<Item, void>(tbb::filter_mode::serial_in_order, take_item));
    });
}

}  // namespace

Chunk::Chunk(const Mapspace& the_mapspace, const LeanEvaluator& the_evaluator, const Terms& terms,
             const Interrupt& interrupt)
    : mapspace(the_mapspace),
      evaluator(the_evaluator),
      number(terms.number),
      objective(guide(terms.objective, terms.number)),
      random(Random::split(terms.seed, terms.number)),
      wants_front_(terms.objective.kind == ObjectiveKind::pareto),
      begin_(terms.begin),
      scratch_(interrupt.stop()),
      most_evaluations_(terms.most_evaluations),
      interrupt_(interrupt) {}

void SearchStatistics::add(const SearchStatistics& other) {
    sampled += other.sampled;
    valid += other.valid;
    evaluations += other.evaluations;
    dead_ends += other.dead_ends;
    for (std::size_t i = 0; i < invalid.size(); ++i) invalid[i] += other.invalid[i];
    chunks += other.chunks;
}

// A valid mapping certainly above the limit and no better than the best.
bool Chunk::pruned(const TilingPoint& point, double limit) {
    limit = std::max(limit, best_score.value);
    if (wants_front_ || limit == Score{}.value) return false;
    constexpr double kRounding = 1.0 - 1e-9;
    const std::optional<LeanCost> bound = evaluator.quick_bound(point, scratch_);
    return bound && bound->valid() && objective.score(bound->energy_pj, bound->cycles).value * kRounding > limit;
}

Score Chunk::propose(const TilingPoint& point, double limit) {
    try {
        const Score score = costed(point, limit);
        ++statistics.sampled;
        return score;
    } catch (const Stopped&) {
        last_violation_.reset();
        over_ = true;
        return {};
    }
}

Score Chunk::costed(const TilingPoint& point, double limit) {
    if (pruned(point, limit)) {
        last_violation_.reset();
        ++statistics.valid;
        ++statistics.evaluations;
        return {};
    }
    const bool all_count = wants_front_ || !best;  // also above the limit
    const LeanCost cost = all_count
                              ? evaluator.evaluate(point, scratch_)
                              : evaluator.evaluate(point, scratch_, {objective, std::max(limit, best_score.value)});
    last_violation_ = cost.violation;
    if (cost.violation) {
        ++statistics.invalid[static_cast<std::size_t>(*cost.violation)];
        return {};
    }
    ++statistics.valid;
    ++statistics.evaluations;
    const Score score = objective.score(cost.energy_pj, cost.cycles);
    if (wants_front_) front.offer({point}, cost, statistics.valid);
    if (!best || score < best_score) record(point, cost, score);
    return score;
}

void Chunk::record(const TilingPoint& point, const LeanCost& cost, const Score& score) {
    best = point;
    best_score = score;
    best_cost = cost;
    valid_at_best = statistics.valid;
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
    improvements.push_back({statistics.evaluations, since.count(), cost, score});
}

void Chunk::skip_invalid(std::int64_t count) {
    statistics.sampled += count;
    statistics.invalid[static_cast<std::size_t>(required(last_violation_))] += count;
}

bool Chunk::over() {
    if (!over_ && statistics.evaluations < most_evaluations_) over_ = interrupt_.requested();
    return over_ || statistics.evaluations >= most_evaluations_;
}

SearchResult search_in_chunks(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                              const Budget& budget, const ProgressCallback& progress, const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    if (!mapspace.problem().empty()) {
        SearchResult nothing;
        nothing.stopped = StopReason::empty_mapspace;
        return nothing;
    }
    Interrupt interrupt(budget.stop, deadline_after(begin, budget.time));
    Judge judge(objective, budget, progress, interrupt);
    const auto run = [&](Numbered& numbered, std::int64_t most) {
        numbered.chunk = std::make_unique<Chunk>(
            mapspace, evaluator, Chunk::Terms{objective, budget.seed, numbered.number, most, begin}, interrupt);
        numbered.chunk->blocks = numbered.blocks;
        work.run(*numbered.chunk);
        numbered.chunk->statistics.chunks = 1;
    };
    const auto take = [&](Numbered& numbered) {
        if (judge.done()) return;
        const std::int64_t left = judge.evaluations_left();
        // The last chunk may only do part of its work: repeats that part alone.
        if (numbered.chunk->statistics.evaluations > left) run(numbered, left);
        judge.take(*numbered.chunk);
    };
    std::uint64_t next = 0;
    bool is_cut = false;
    const auto deal = [&](tbb::flow_control& control) {
        auto numbered = std::make_shared<Numbered>();
        numbered->number = next++;
        const bool is_late = interrupt.requested() && numbered->number > 0;
        if (is_late || (work.deal && !work.deal(numbered->blocks, interrupt))) {
            is_cut = interrupt.requested();
            control.stop();
        }
        return numbered;
    };
    const std::int64_t most = budget.evaluations.value_or(kNoLimit);
    run_pipeline(budget.threads, deal, [&](Numbered& numbered) { run(numbered, most); }, take);
    if (is_cut) judge.cut_short();
    SearchResult result = judge.result();
    result.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

}  // namespace tilewright
