// simulation.json, of layers and of schedules, as values: written, read back for pictures, and the source of its
// schemas. Fields in fields.hpp. Internal to report/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/simulation/schedule_replay.hpp"
#include "report/simulation/simulation.hpp"
#include "report/simulation/terms.hpp"

namespace tilewright::document {

struct LinkUse {
    std::string link;
    std::int64_t flits = 0;
    double share = 0.0;  ///< of cycles with a departing flit
};

struct DramUse {
    std::int64_t reads = 0;
    std::int64_t writes = 0;
    std::int64_t activations = 0;
    std::int64_t refreshes = 0;
    std::optional<double> energy_pj;
};

struct SimulatedRun {
    std::int64_t model_cycles = 0;
    std::string model_bound;
    std::int64_t cycles = 0;
    std::int64_t steps = 0;
    std::int64_t steps_done = 0;
    bool interrupted = false;
    bool extrapolated = false;
    std::int64_t elements = 0;
    sim::ElementTime time;  ///< of all elements
    report::Busiest busiest;
    std::vector<report::Term> terms;
    std::optional<std::string> underestimated;
    std::int64_t packets = 0;
    std::int64_t bank_conflicts = 0;
    std::vector<LinkUse> links;  ///< those in use
    std::optional<DramUse> dram;
};

struct SimulatedLayer {
    std::vector<std::string> names;
    std::int64_t repeats = 1;
    std::string failure;  ///< reason of a missing run
    std::optional<SimulatedRun> run;
};

/// "tilewright-simulation"
struct Simulation {
    report::Provenance provenance;
    std::string architecture;
    std::string network;
    std::string memory;
    bool interrupted = false;
    std::vector<SimulatedLayer> layers;
    std::vector<std::string> notes;
};

struct ReplayDram {
    std::int64_t access_bytes = 1;
    std::int64_t reads = 0;
    std::int64_t writes = 0;
    std::int64_t row_hits = 0;
    std::int64_t row_misses = 0;
    std::int64_t row_conflicts = 0;
    std::int64_t refreshes = 0;
    std::optional<double> energy_pj;
};

struct ReplayedRun {
    std::int64_t scheduled_cycles = 0;
    std::int64_t ideal_cycles = 0;
    std::int64_t cycles = 0;
    std::int64_t steps = 0;
    std::int64_t steps_done = 0;
    bool interrupted = false;
    std::vector<report::Term> terms;
    std::optional<std::string> underestimated;
    sim::npu::Path path;
    std::int64_t cores = 1;
    sim::npu::CoreTime core_time;
    std::int64_t channels = 1;
    std::int64_t channel_cycles = 0;
    std::array<std::int64_t, schedule::kTransferKindNames.size()> moved_bytes{};
    std::optional<ReplayDram> dram;
};

struct ReplayedLayer {
    std::vector<std::string> names;
    std::int64_t repeats = 1;
    std::string failure;  ///< reason of a missing run
    std::optional<ReplayedRun> run;
};

/// "tilewright-schedule-replay"
struct ScheduleReplay {
    report::Provenance provenance;
    std::string machine;
    std::string memory;
    double clock_ghz = 0.0;
    sim::npu::Layout layout = sim::npu::Layout::rows;
    bool interrupted = false;
    std::vector<ReplayedLayer> layers;
    std::vector<std::string> notes;
};

Simulation document_of(const report::Simulation& simulation);
ScheduleReplay document_of(const report::ScheduleReplay& replay);

}  // namespace tilewright::document
