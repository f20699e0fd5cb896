// Cycle-by-cycle execution of a mapping's program on a machine: every packet on the mesh, every DRAM access, every
// computation.
//
// Overlap: elements compute a step while the next one's words arrive, if the inner memories hold two tiles; likewise
// memories outside the array; results leave as they complete. Waits: an element for its step's words; a sender for room
// at all receivers; partial sums for their earlier write. Shared results are reduced along a chain of elements, the
// last of which sends them out, or, optionally, by the routers along a tree (sim/noc/mesh.hpp). Deterministic.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.hpp"
#include "model/evaluation.hpp"
#include "sim/dram/memory.hpp"
#include "sim/machine/program.hpp"
#include "sim/noc/network.hpp"

namespace tilewright::sim {

struct MachineOptions {
    RouterOptions router;
    int flit_bits = 64;
    int packet_flits = 5;              ///< maximum, header first. Fits a buffer
    std::optional<dram::Device> dram;  ///< empty: an outermost memory of the architecture's bandwidth
    dram::MemoryOptions dram_options;
    bool double_buffered = false;  ///< room for two tiles everywhere, whatever the capacity
    /// Of every memory with a bandwidth between the outermost one and the array; 0: not simulated. With banks every
    /// iteration is simulated.
    int banks = 0;
    bool detect_steady_state = true;
    /// Shared results are reduced by the routers; otherwise along a chain of elements.
    bool reduce_in_network = false;
    /// CoSA's network and memory instead (cosa_replay.hpp); only `dram` and its options then count.
    bool cosa_network = false;

    bool operator==(const MachineOptions&) const = default;
};

/// Reason why the machine cannot be built, or "".
std::string problem_with(const MachineOptions& options);

struct TraceEvent {
    std::string track;
    std::string name;
    Cycle begin = 0;
    Cycle end = 0;
    int element = -1;  ///< its track; -1: a memory's
};
/// Activity at a moment.
struct Occupancy {
    Cycle at = 0;
    int transfers = 0;  ///< issued and not finished
    int computing = 0;  ///< elements
};

inline constexpr std::size_t kMostTraceEvents = 400'000;

/// Cause of the delay of an element's words.
enum class Wait : std::uint8_t {
    outermost,  ///< the outermost memory has not delivered
    memories,   ///< port of another memory outside the array
    links,      ///< serialization on the links
    room,       ///< the receivers still use their tiles
    sums,       ///< results to be written before their next read
    flight,     ///< none: in flight
    banks,      ///< a busy bank of another memory outside the array
};
inline constexpr std::size_t kWaits = 7;

/// Element cycles by activity.
struct ElementTime {
    std::int64_t computing = 0;
    std::int64_t waiting_for_words = 0;        ///< a step was due without its words
    std::int64_t waiting_for_others = 0;       ///< they were at a step without work for it, or far behind its next one
    std::int64_t other = 0;                    ///< after its last computation; all cycles of an idle element
    std::int64_t filling = 0;                  ///< of the waiting: before the first computation
    std::array<std::int64_t, kWaits> waits{};  ///< the rest of the waiting, by cause
    int working = 0;                           ///< elements with any computation
};

struct ReplayResult {
    Cycle cycles = 0;
    std::int64_t steps = 0;       ///< of the program
    std::int64_t steps_done = 0;  ///< fewer when interrupted
    bool interrupted = false;
    bool extrapolated = false;          ///< the run repeated itself, and only some iterations were simulated
    Cycle simulated_cycles = 0;         ///< cost of the simulation itself
    std::vector<Cycle> iteration_ends;  ///< simulated iterations of the outermost loop
    ElementTime elements;               ///< sums over the elements
    Cycle draining = 0;                 ///< after the last computation
    std::vector<std::int64_t> flits;    ///< [node * kPorts + port]
    std::int64_t packets = 0;
    std::int64_t bank_conflicts = 0;  ///< packets delayed by a bank
    std::int64_t dram_reads = 0;      ///< accesses
    std::int64_t dram_writes = 0;
    dram::Counts dram;  ///< of a simulated DRAM
    std::optional<double> dram_energy_pj;
    std::vector<TraceEvent> trace;     ///< the first kMostTraceEvents, without skipped ones
    std::vector<Occupancy> occupancy;  ///< with a trace
    bool trace_complete = true;
};

/// A packet's arrival at one destination, for studies of a run.
struct PacketSeen {
    enum class Kind : std::uint8_t { load, send, result, store };
    Kind kind = Kind::send;
    std::int64_t step = 0;
    int flow = 0;             ///< of the program
    int group = 0;            ///< likewise
    int hop = 0;              ///< of results between elements
    std::int64_t number = 0;  ///< within its transfer at this destination, from 1
    int source = 0;           ///< node
    int destination = 0;      ///< node; the source for exchanges between co-located memories
    bool outermost = false;   ///< from or to the outermost memory
    Arrival arrival;
};

struct ReplayControl {
    const StopSource* stop = nullptr;
    bool trace = false;
    std::function<void(std::int64_t steps_done, std::int64_t steps)> progress;  ///< called now and then
    /// Longer runs are cut some time after, as if stopped.
    std::optional<Cycle> most_cycles = std::nullopt;
    std::function<void(const PacketSeen&)> packets{};  ///< called for every arriving packet
};

/// Requires this mapping's program and evaluation, and problem_with(options).empty().
ReplayResult replay(const Einsum& einsum, const Architecture& architecture, const Program& program,
                    const Evaluation& evaluation, const MachineOptions& options, const ReplayControl& control = {});

}  // namespace tilewright::sim
