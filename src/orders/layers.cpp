#include "orders/layers.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <mutex>

namespace tilewright::orders {

std::vector<Answer> search_layers(const std::vector<Problem>& problems, const Search& search, const Settings& settings,
                                  const LayerDone& done) {
    const int threads = settings.threads > 0 ? settings.threads : tbb::info::default_concurrency();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(threads, tbb::info::default_concurrency())));
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
            answers[i] = search.run(problems[i], each);
            const std::lock_guard lock(one_at_a_time);
            if (done) done(i, answers[i]);
        });
    });
    return answers;
}

}  // namespace tilewright::orders
