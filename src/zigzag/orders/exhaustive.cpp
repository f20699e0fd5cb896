#include "zigzag/orders/exhaustive.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <mutex>

#include "base/numbers/orderings.hpp"

namespace tilewright::orders {
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

}  // namespace tilewright::orders
