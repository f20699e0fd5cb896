// report.json of `tilewright schedule` as values: written, read back for pictures, and the source of its schema. Fields
// in fields.hpp. Internal to report/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/schedule/schedule.hpp"

namespace tilewright::document {

struct OperandTraffic {
    std::int64_t loaded_bytes = 0;
    std::int64_t written_bytes = 0;
    std::int64_t loads = 0;
};

struct FoundSchedule {
    std::string how;
    schedule::PerDim tiling;
    std::int64_t operations = 0;
    schedule::Score score;
    std::array<OperandTraffic, schedule::kOperands> operands;
    schedule::Bounds bounds;  ///< of this tiling
};

struct TilingCosts {
    schedule::PerDim tiling;
    std::int64_t operations = 0;
    std::optional<schedule::LayerCost> fixed;   ///< in the best static loop order
    std::optional<schedule::LayerCost> listed;  ///< under the list scheduler
    schedule::LayerCost bounds;
};

/// Tensors kept in the scratchpad beside a layer's own tiles.
struct KeptTensors {
    schedule::Kept of;
};

struct ScheduledLayer {
    std::vector<std::string> names;
    std::int64_t repeats = 1;
    std::optional<KeptTensors> kept;
    std::optional<FoundSchedule> best;
    std::optional<FoundSchedule> baseline;
    std::optional<FoundSchedule> published;
    schedule::LayerBounds bounds;
    schedule::StaticEffort static_effort;
    schedule::DynamicEffort dynamic_effort;
    double gain_left = 1.0;
    std::optional<schedule::FlexerEffort> flexer_effort;
    std::vector<TilingCosts> tilings;
};

struct StayingOutput {
    std::string made_by;
    std::vector<std::string> read_by;
    std::int64_t address = 0;
    std::int64_t bytes = 0;
};

struct Staying {
    std::vector<StayingOutput> tensors;
    std::size_t might_stay = 0;
    schedule::LayerCost alone;
    schedule::LayerCost bound;
};

/// An unscheduled operator or an input, with other keys here than in other documents.
struct LeftOut {
    UnmappedOperator of;
};
struct ReadInput {
    report::Input of;
};

/// "tilewright-schedule-report". Of the machine its numbers only.
struct ScheduleReport {
    std::string tool_version;
    std::string command;
    std::vector<ReadInput> inputs;
    std::vector<std::pair<std::string, std::string>> options;
    schedule::MultiNpu machine;
    std::string core;  ///< for mapping tiles
    std::string network;
    schedule::LatencyRule rule = schedule::LatencyRule::overlap;
    std::string objective;
    bool interrupted = false;
    std::vector<ScheduledLayer> layers;
    report::ScheduleTotals totals;
    std::optional<Staying> staying;
    bool with_elementwise = false;
    std::vector<report::StreamedLayer> streamed;
    std::vector<LeftOut> left_out;
    std::vector<std::string> notes;
};

ScheduleReport document_of(const report::ScheduleReport& report);

}  // namespace tilewright::document
