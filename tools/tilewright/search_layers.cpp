#include "search_layers.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "interrupt.hpp"
#include "report/number.hpp"
#include "status_line.hpp"

namespace tilewright::cli {
namespace {

using Clock = std::chrono::steady_clock;

// "  12,345 of 1,000,000 mappings, 1,234 legal, best 1.2 uJ and 3,456 cycles"
std::string status_of(const Progress& now) {
    std::string text = "  " + report::count_text(now.statistics.sampled);
    if (now.space) text += " of " + report::count_text(*now.space);
    text += " mappings, " + report::count_text(now.statistics.valid) + " legal";
    if (!now.best.valid() || now.statistics.valid == 0) return text;
    text += fmt::format(", best {} and {} cycles", report::energy_text(now.best.energy_pj),
                        report::count_text(now.best.cycles));
    if (now.lower_bound && now.score.value > 0.0)
        text += fmt::format(", objective in [{}, {}]", report::figure_text(*now.lower_bound),
                            report::figure_text(now.score.value));
    return text;
}

class LayerSearches {
   public:
    LayerSearches(const std::vector<Task>& tasks, const SearchPlan& plan, ResultCache& cache, bool quiet,
                  report::Report& report)
        : tasks_(tasks),
          plan_(plan),
          cache_(cache),
          report_(report),
          threads_(plan.threads.value_or(0) > 0 ? static_cast<int>(*plan.threads) : tbb::info::default_concurrency()),
          line_(!quiet) {}

    void run() {
        const Interrupt interrupt(stop_);
        const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                        static_cast<std::size_t>(std::max(threads_, tbb::info::default_concurrency())));
        tbb::task_arena arena(threads_);
        // One after the other, in order, as threads become free.
        arena.execute([&] {
            tbb::parallel_for(0, std::min(threads_, static_cast<int>(tasks_.size())), [&](int) {
                for (std::size_t i = begun_++; i < tasks_.size(); i = begun_++) search(i);
            });
        });
        report_.interrupted = interrupt.happened();
    }

   private:
    // Of the time that is left: as many layers run side by side as there are threads.
    std::optional<double> share_of_time(std::size_t index) const {
        if (!plan_.time_limit_seconds) return std::nullopt;
        const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
        const double left = static_cast<double>(tasks_.size() - index);
        return std::max(*plan_.time_limit_seconds - spent, 0.0) * std::min(left, static_cast<double>(threads_)) / left;
    }

    void search(std::size_t index) {
        report::LayerResult& layer = report_.layers[index];
        if (stop_.requested()) {
            layer.failures = {"interrupted before it was searched"};
            return;
        }
        const std::string& name = layer.names.front();
        show(name, true);
        try {
            if (!cache_.load(tasks_[index], layer)) {
                const auto progress = [&](const Progress& now) { show(name + status_of(now), false); };
                search_layer(tasks_[index], plan_, stop_, share_of_time(index), progress, layer);
                cache_.save(tasks_[index], layer);
            }
        } catch (const OverflowError&) {
            stop_.request();  // the other layers need not go on
            line_.clear();
            throw InputError(ErrorCode::overflow, {},
                             "layer '" + name + "' is too large: a count does not fit in 64 bits");
        }
        line_.show(fmt::format("[{}/{}] {}", ++done_, tasks_.size(), name), true);
    }

    void show(const std::string& text, bool now) {
        line_.show(fmt::format("[{}/{}] {}", std::min(done_ + 1, tasks_.size()), tasks_.size(), text), now);
    }

    const std::vector<Task>& tasks_;
    const SearchPlan& plan_;
    ResultCache& cache_;
    report::Report& report_;
    const int threads_;
    StopSource stop_;
    StatusLine line_;
    const Clock::time_point start_ = Clock::now();
    std::atomic<std::size_t> begun_{0};
    std::atomic<std::size_t> done_{0};
};

}  // namespace

void search_layers(const std::vector<Task>& tasks, const SearchPlan& plan, ResultCache& cache, bool quiet,
                   report::Report& report) {
    LayerSearches(tasks, plan, cache, quiet, report).run();
}

}  // namespace tilewright::cli
