// What `tilewright schedule` found, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/report.hpp"
#include "schedule/schedulers/search.hpp"
#include "schedule/schedulers/staying.hpp"

namespace tilewright::report {

/// One layer shape.
struct ScheduledLayer {
    std::vector<std::string> names;  ///< of the layers, in network order; never empty
    std::int64_t repeats = 1;        ///< over the layers, images and groups
    schedule::ConvLayer layer;
    schedule::LayerAnswer answer;
    std::vector<schedule::TilingResult> tilings = {};  ///< each by itself, where that was asked for
};

/// Pooling, or element by element: one read and one write of its tensors, the same for every schedule.
struct StreamedLayer {
    std::string name;
    std::string op;
    std::int64_t read_bytes = 0;
    std::int64_t written_bytes = 0;
    std::int64_t latency_cycles = 0;  ///< of the transfers, over all channels
};

/// Outputs that stay in the scratchpad for the layers that read them. The layers of the report are then one for every
/// shape and what is kept beside it; their baselines are of the layers by themselves.
struct StayingOutputs {
    struct LayerRun {
        std::string name;
        int layer = 0;  ///< of the report
        std::int64_t groups = 1;
        std::int64_t images = 1;
        std::int64_t repeats = 1;
    };
    std::vector<LayerRun> order;  ///< in which the layers run
    std::vector<schedule::StayingTensor> tensors;
    std::size_t might_stay = 0;  ///< tensors that were considered
    schedule::LayerCost alone;   ///< of all layers, nothing staying
    schedule::LayerCost bound;   ///< that no schedules undercut, each by itself, whatever stays
};

struct ScheduleReport {
    Provenance provenance;
    schedule::MultiNpu machine;
    std::string network;
    schedule::LatencyRule rule = schedule::LatencyRule::overlap;
    schedule::Objective objective;
    std::vector<ScheduledLayer> layers;
    std::optional<StayingOutputs> staying;  ///< where it was asked for, and every layer has a schedule
    std::vector<StreamedLayer> streamed;
    bool with_elementwise = false;  ///< whether those count
    std::vector<UnmappedOperator> left_out;
    std::vector<std::string> notes;
    bool interrupted = false;
};

/// Sums over the layers that have a schedule, each as often as it runs, and over what is streamed where that counts.
struct ScheduleTotals {
    std::int64_t latency_cycles = 0;
    std::int64_t traffic_bytes = 0;
    std::int64_t baseline_latency_cycles = 0;
    std::int64_t baseline_traffic_bytes = 0;
    std::int64_t latency_bound_cycles = 0;  ///< of any schedule
    std::int64_t traffic_bound_bytes = 0;
    int missing = 0;
};

ScheduleTotals totals(const ScheduleReport& report);

/// How many times better the objective could be at most on the tilings that were left; 1: none was.
double gain_left(const schedule::LayerAnswer& answer);

/// "tilewright-schedule-report/1"
std::string schedule_json(const ScheduleReport& report);
std::string schedule_text(const ScheduleReport& report);
/// A row for each schedule of each layer (`best`, `baseline`, `list_scheduler`) and for the bound of all schedules:
/// cycles and bytes of one run. A layer without a schedule has one row, `no_schedule`.
std::string schedule_csv(const ScheduleReport& report);

/// A schedule as trace events, which ui.perfetto.dev and chrome://tracing open: a track per core and per DMA channel,
/// and how many bytes of the scratchpad are in use. One microsecond stands for one cycle.
std::string schedule_trace(const schedule::Problem& problem, const schedule::Schedule& schedule,
                           const std::string& name);

}  // namespace tilewright::report
