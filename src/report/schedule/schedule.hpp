// Result of `tilewright schedule`, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "schedule/schedulers/search.hpp"
#include "schedule/schedulers/staying.hpp"

namespace tilewright::report {

struct ScheduledLayer {
    std::vector<std::string> names;  ///< of the layers, in network order; never empty
    std::int64_t repeats = 1;        ///< over the layers, images and groups
    schedule::ConvLayer layer;
    schedule::LayerAnswer answer;
    std::vector<schedule::TilingResult> tilings = {};  ///< each by itself, if requested
};

/// Pooling or elementwise: one read and one write of its tensors, the same for every schedule.
struct StreamedLayer {
    std::string name;
    std::string op;
    std::int64_t read_bytes = 0;
    std::int64_t written_bytes = 0;
    std::int64_t latency_cycles = 0;  ///< of the transfers, over all channels
};

/// Outputs kept in the scratchpad for the layers reading them. The report's layers are then one for every shape and
/// kept tensors; their baselines are of the layers by themselves.
struct StayingOutputs {
    struct LayerRun {
        std::string name;
        int layer = 0;  ///< of the report
        std::int64_t groups = 1;
        std::int64_t images = 1;
        std::int64_t repeats = 1;
    };
    std::vector<LayerRun> order;  ///< execution order of the layers
    std::vector<schedule::StayingTensor> tensors;
    std::size_t might_stay = 0;  ///< tensors considered
    schedule::LayerCost alone;   ///< of all layers, nothing kept
    schedule::LayerCost bound;   ///< lower bound of all schedules, each by itself, for any kept tensors
};

struct ScheduleReport {
    Provenance provenance;
    schedule::MultiNpu machine;
    std::string network;
    schedule::LatencyRule rule = schedule::LatencyRule::overlap;
    schedule::Objective objective;
    std::vector<ScheduledLayer> layers;
    std::optional<StayingOutputs> staying;  ///< if requested, and every layer has a schedule
    std::vector<StreamedLayer> streamed;
    bool with_elementwise = false;  ///< they count
    std::vector<UnmappedOperator> left_out;
    std::vector<std::string> notes;
    bool interrupted = false;
};

/// Sums over the scheduled layers with their repeats, and over streamed ones if they count.
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

/// Largest factor left to gain in the objective on the remaining tilings; 1: none remain.
double gain_left(const schedule::LayerAnswer& answer);

/// "tilewright-schedule-report/1"
std::string schedule_json(const ScheduleReport& report);
std::string schedule_text(const ScheduleReport& report);
/// A row for each schedule of each layer (`best`, `baseline`, `list_scheduler`) and for the bound of all schedules:
/// cycles and bytes of one run. A layer without a schedule has one row, `no_schedule`.
std::string schedule_csv(const ScheduleReport& report);

/// A schedule as trace events, for ui.perfetto.dev and chrome://tracing: a track per core and per DMA channel, and
/// bytes of the scratchpad in use. One microsecond is one cycle.
std::string schedule_trace(const schedule::Problem& problem, const schedule::Schedule& schedule,
                           const std::string& name);

}  // namespace tilewright::report
