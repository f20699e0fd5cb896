#include "zigzag/orders/layers.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "base/deadline.hpp"

namespace tilewright::orders {

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
