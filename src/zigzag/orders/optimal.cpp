#include "zigzag/orders/optimal.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/numbers/count.hpp"
#include "zigzag/lean/order_bound.hpp"

namespace tilewright::orders {
namespace {

// Relative error of sums of equal energies in any order.
constexpr double kRounding = 1e-12;

class Descent {
   public:
    Descent(const Scorer& scorer, const Settings& settings)
        : scorer_(scorer), evaluator_(scorer.evaluator()), bound_(evaluator_), settings_(settings) {}

    Found run() {
        zigzag::OrderBound::Front front = bound_.start();
        for (const std::uint8_t kind : scorer_.inner()) front = bound_.extended(front, kind);
        visit(front);
        if (!found_.order.empty()) found_.score = scorer_.score(found_.order);
        found_.complete = !found_.interrupted;
        return std::move(found_);
    }

   private:
    struct Branch {
        double least_pj;
        std::uint8_t kind;
        zigzag::OrderBound::Front front;
    };

    bool promising(double least_pj) const { return least_pj < found_.score.value * (1.0 - kRounding); }

    // All continuations of `order_` with a chance to improve.
    void visit(const zigzag::OrderBound::Front& front) {
        if (order_.size() == scorer_.first_order().size()) return cost();
        for (const Branch& branch : branches(front)) {
            if (!promising(branch.least_pj)) return;
            found_.interrupted = found_.interrupted || settings_.ended();
            if (found_.interrupted) return;
            order_.push_back(branch.kind);
            visit(branch.front);
            order_.pop_back();
        }
    }

    std::vector<Branch> branches(const zigzag::OrderBound::Front& front) {
        std::vector<Branch> all;
        for (std::size_t kind = 0; kind < evaluator_.kinds().size(); ++kind) {
            if (!is_left(static_cast<std::uint8_t>(kind))) continue;
            zigzag::OrderBound::Front next = bound_.extended(front, static_cast<int>(kind));
            const double least_pj = bound_.least_pj(next);
            if (promising(least_pj)) all.push_back({least_pj, static_cast<std::uint8_t>(kind), std::move(next)});
        }
        std::stable_sort(all.begin(), all.end(),
                         [](const Branch& a, const Branch& b) { return a.least_pj < b.least_pj; });
        return all;
    }

    // Whether `order_` lacks a loop of this kind.
    bool is_left(std::uint8_t kind) const {
        return std::count(order_.begin(), order_.end(), kind) <
               std::count(scorer_.first_order().begin(), scorer_.first_order().end(), kind);
    }

    void cost() {
        const double energy_pj = scorer_.value(order_);
        ++found_.evaluations;
        if (energy_pj == std::numeric_limits<double>::infinity()) return;
        ++found_.fitting;
        if (energy_pj >= found_.score.value) return;
        found_.score.value = energy_pj;
        found_.order = order_;
    }

    const Scorer& scorer_;
    const zigzag::OrderEvaluator& evaluator_;
    zigzag::OrderBound bound_;
    const Settings& settings_;
    zigzag::LoopOrder order_;
    Found found_;
};

}  // namespace

std::optional<Found> search_best_energy(const Scorer& scorer, const Settings& settings) {
    try {
        return Descent(scorer, settings).run();
    } catch (const InputError& error) {
        if (error.code() != ErrorCode::unsupported) throw;
        return std::nullopt;
    }
}

namespace {

constexpr std::int64_t kBlock = 1 << 15;
constexpr std::int64_t kAsk = 1 << 9;  // orders between two looks at the clock

// Orders `first` to `end` - 1 of the enumeration.
Found search_block(const Scorer& scorer, const Settings& settings, std::int64_t first, std::int64_t end) {
    Found found;
    zigzag::LoopOrder order = scorer.first_order();
    make_order(order, static_cast<Count>(first));
    bool tie_known = false;
    for (std::int64_t i = first; i < end; ++i, next_order(order)) {
        if (i % kAsk == 0 && settings.ended()) break;
        const double value = scorer.value(order);
        ++found.evaluations;
        if (value == std::numeric_limits<double>::infinity()) continue;
        ++found.fitting;
        if (value > found.score.value) continue;
        // Costs are computed on ties only.
        if (value == found.score.value) {
            if (!tie_known) found.score = scorer.score(found.order);
            tie_known = true;
            const Score score = scorer.score(order);
            if (score < found.score) found.score = score, found.order = order;
            continue;
        }
        found.order = order;
        found.score = {value, 0.0};
        tie_known = false;
    }
    if (!found.order.empty() && !tie_known) found.score = scorer.score(found.order);
    return found;
}

}  // namespace

Found search_all(const Scorer& scorer, const Settings& settings) {
    const auto total = static_cast<std::int64_t>(count_orders(scorer.first_order()));
    const int threads = settings.threads > 0 ? settings.threads : tbb::info::default_concurrency();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    Found best;
    std::int64_t first_of_best = total;
    std::mutex one_at_a_time;
    const auto take = [&](const Found& found, std::int64_t first) {
        const std::lock_guard lock(one_at_a_time);
        best.evaluations += found.evaluations;
        best.fitting += found.fitting;
        const bool as_good_but_earlier = found.score == best.score && first < first_of_best;
        if (found.order.empty() || !(best.order.empty() || found.score < best.score || as_good_but_earlier)) return;
        best.order = found.order;
        best.score = found.score;
        first_of_best = first;
    };
    tbb::task_arena arena(threads);
    arena.execute([&] {
        tbb::parallel_for(std::int64_t{0}, (total + kBlock - 1) / kBlock, [&](std::int64_t block) {
            if (settings.ended()) return;
            const std::int64_t first = block * kBlock;
            take(search_block(scorer, settings, first, std::min(total, first + kBlock)), first);
        });
    });
    best.complete = best.evaluations == total;
    best.interrupted = !best.complete;
    return best;
}

namespace {

// One layer's share of the remaining time, for `left` layers searched `threads` at a time.
Deadline share_of(const Settings& settings, std::chrono::steady_clock::time_point begin, int threads,
                  std::size_t left) {
    if (!settings.seconds) return std::nullopt;
    const auto now = std::chrono::steady_clock::now();
    const double spent = std::chrono::duration<double>(now - begin).count();
    const auto layers = static_cast<double>(left);
    const double share =
        std::max(*settings.seconds - spent, 0.0) * std::min(layers, static_cast<double>(threads)) / layers;
    return deadline_after(now, std::chrono::duration<double>(share));
}

// The time ran out before any fitting order: costs a few all the same.
Answer best_of_a_few(const OrderProblem& problem, Settings settings) {
    settings.deadline.reset();
    settings.iterations = 100;
    settings.chains = 1;
    Answer answer = find_search("salsa")->run(problem, settings);
    answer.complete = false;
    answer.interrupted = true;
    return answer;
}

}  // namespace

std::vector<Answer> search_layers(const std::vector<OrderProblem>& problems, const Search& search,
                                  const Settings& settings, const LayerDone& done) {
    const int threads = settings.threads > 0 ? settings.threads : tbb::info::default_concurrency();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(threads, tbb::info::default_concurrency())));
    const auto begin = std::chrono::steady_clock::now();
    std::atomic<std::size_t> left = problems.size();
    Settings each = settings;
    if (problems.size() >= static_cast<std::size_t>(threads)) each.threads = 1;
    std::vector<Answer> answers(problems.size());
    std::mutex one_at_a_time;
    tbb::task_arena arena(threads);
    arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, problems.size(), [&](std::size_t i) {
            if (settings.stop != nullptr && settings.stop->requested()) {
                answers[i].interrupted = true;
                answers[i].failure = "interrupted before it was searched";
                return;
            }
            Settings own = each;
            own.deadline = share_of(settings, begin, threads, left);
            answers[i] = search.run(problems[i], own);
            if (answers[i].interrupted && !answers[i].failure.empty() && own.deadline)
                answers[i] = best_of_a_few(problems[i], own);
            --left;
            const std::lock_guard lock(one_at_a_time);
            if (done) done(i, answers[i]);
        });
    });
    return answers;
}

}  // namespace tilewright::orders
