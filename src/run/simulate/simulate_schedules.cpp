#include "run/simulate/simulate_schedules.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

#include "base/threads.hpp"

namespace tilewright {
namespace {

report::ReplayedLayer replayed_layer(const native::LayerSchedule& given, const sim::npu::ReplayOptions& options,
                                     const SimulationControl& control) {
    report::ReplayedLayer layer{
        .names = given.names,
        .repeats = given.repeats,
        .problem = given.problem,
        .scheduled_cycles = given.schedule.latency_cycles,
        .activities = static_cast<std::int64_t>(given.schedule.transfers.size() + given.schedule.executions.size()),
        .result = {}};
    if (control.stop != nullptr && control.stop->requested()) {
        layer.failure = "interrupted before it was replayed";
        return layer;
    }
    sim::npu::Control replay;
    replay.stop = control.stop;
    replay.progress = [&](std::int64_t done, std::int64_t all) {
        if (control.progress) control.progress(layer.names.front(), done, all);
    };
    layer.result = sim::npu::replay(given.problem, given.schedule, options, replay);
    return layer;
}

}  // namespace

std::vector<report::ReplayedLayer> simulate_schedules(const std::vector<native::LayerSchedule>& layers,
                                                      const sim::npu::ReplayOptions& options,
                                                      const SimulationControl& control) {
    require_threads(control.threads);
    const int threads = control.threads > 0 ? control.threads : tbb::info::default_concurrency();
    std::vector<report::ReplayedLayer> replayed(layers.size());
    std::atomic<std::size_t> begun{0};
    tbb::task_arena arena(threads);
    arena.execute([&] {
        tbb::parallel_for(0, std::min(threads, static_cast<int>(layers.size())), [&](int) {
            for (std::size_t i = begun++; i < layers.size(); i = begun++)
                replayed[i] = replayed_layer(layers[i], options, control);
        });
    });
    return replayed;
}

}  // namespace tilewright
