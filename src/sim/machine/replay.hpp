// Runs the program of a mapping on a machine, cycle by cycle: every packet on the mesh, every access to the DRAM, every
// computation.
//
// What overlaps: the elements compute a step while the words of the next one arrive, where the inner memories hold two
// tiles; memories outside the array likewise load the next tile; results leave as they are done. What waits: an element
// for the words of its step; a sender for room at all its receivers; partial sums read back for what was written
// before. Results that several elements share are added up along a chain of them, and the last one sends them out, or,
// on request, by the routers along a tree (sim/noc/reduction.hpp).
// Deterministic.
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
    int packet_flits = 5;              ///< at most; the first one is the header. Fits a buffer
    std::optional<dram::Device> dram;  ///< empty: the outermost memory is as fast as the architecture says
    dram::MemoryOptions dram_options;
    bool double_buffered = false;  ///< every memory has room for two tiles, whatever its capacity says
    /// Of every memory between the outermost one and the array whose bandwidth the architecture gives; 0: not
    /// simulated. With banks every iteration is simulated.
    int banks = 0;
    bool detect_steady_state = true;
    /// Results of several elements are added up by the routers on their way to the memory; otherwise along a chain of
    /// the elements.
    bool reduce_in_network = false;
    /// CoSA's own network and memory in place of all this (cosa_replay.hpp); of it only `dram` and its options count.
    bool cosa_network = false;

    bool operator==(const MachineOptions&) const = default;
};

/// Why the machine cannot be built so, or "".
std::string problem_with(const MachineOptions& options);

/// Something that took a while, for a picture of the run.
struct TraceEvent {
    std::string track;
    std::string name;
    Cycle begin = 0;
    Cycle end = 0;
    int element = -1;  ///< whose track it is; -1: of a memory
};
/// What was under way at a moment.
struct Occupancy {
    Cycle at = 0;
    int transfers = 0;  ///< issued and not finished
    int computing = 0;  ///< elements
};

inline constexpr std::size_t kMostTraceEvents = 400'000;

/// What the words that an element waits for wait for themselves.
enum class Wait : std::uint8_t {
    outermost,  ///< the outermost memory, which has not given them yet
    memories,   ///< the port of another memory outside the array
    links,      ///< the links, over which words go one after the other
    room,       ///< room: their receivers still need what they hold
    sums,       ///< results that have to be written before they are read again
    flight,     ///< nothing: they are under way in the network
    banks,      ///< a bank of another memory outside the array, which is in use
};
inline constexpr std::size_t kWaits = 7;

/// Element cycles by what the element did.
struct ElementTime {
    std::int64_t computing = 0;
    std::int64_t waiting_for_words = 0;        ///< a step was due and its words were not there
    std::int64_t waiting_for_others = 0;       ///< they were at a step that it sat out, or far behind its next one
    std::int64_t other = 0;                    ///< after its last computation; all of an element that never computes
    std::int64_t filling = 0;                  ///< of the waiting: before the element's first computation
    std::array<std::int64_t, kWaits> waits{};  ///< of the waiting, the rest, by what was waited for
    int working = 0;                           ///< elements that computed at all
};

struct ReplayResult {
    Cycle cycles = 0;
    std::int64_t steps = 0;       ///< of the program
    std::int64_t steps_done = 0;  ///< fewer when interrupted
    bool interrupted = false;
    bool extrapolated = false;   ///< the run was found to repeat itself, and only some of its iterations were simulated
    Cycle simulated_cycles = 0;  ///< by which the time of the simulation itself goes
    std::vector<Cycle> iteration_ends;  ///< of the outermost loop, of the iterations that were simulated
    ElementTime elements;               ///< sums over the elements
    Cycle draining = 0;                 ///< after the last computation
    std::vector<std::int64_t> flits;    ///< [node * kPorts + port]
    std::int64_t packets = 0;
    std::int64_t bank_conflicts = 0;  ///< packets that had to wait for a bank
    std::int64_t dram_reads = 0;      ///< accesses
    std::int64_t dram_writes = 0;
    dram::Counts dram;  ///< of a simulated DRAM
    std::optional<double> dram_energy_pj;
    std::vector<TraceEvent> trace;     ///< the first kMostTraceEvents, but for those that the run has jumped over
    std::vector<Occupancy> occupancy;  ///< with a trace
    bool trace_complete = true;
};

/// A packet that reached one of its destinations, for studies of a run: whose it is, and when it was where.
struct PacketSeen {
    enum class Kind : std::uint8_t { load, send, result, store };
    Kind kind = Kind::send;
    std::int64_t step = 0;
    int flow = 0;             ///< of the program
    int group = 0;            ///< likewise
    int hop = 0;              ///< of results on their way from element to element
    std::int64_t number = 0;  ///< of its transfer at this destination, from 1
    int source = 0;           ///< node
    int destination = 0;      ///< node; the source's own where memories at one place exchange words
    bool outermost = false;   ///< from or to the outermost memory
    Arrival arrival;
};

struct ReplayControl {
    const StopSource* stop = nullptr;
    bool trace = false;
    std::function<void(std::int64_t steps_done, std::int64_t steps)> progress;  ///< called now and then
    /// A run that takes more is of no interest: it is cut some time after, as if it had been stopped.
    std::optional<Cycle> most_cycles = std::nullopt;
    std::function<void(const PacketSeen&)> packets{};  ///< called with every packet that arrives
};

/// Requires the program of this mapping, its evaluation, and problem_with(options).empty().
ReplayResult replay(const Einsum& einsum, const Architecture& architecture, const Program& program,
                    const Evaluation& evaluation, const MachineOptions& options, const ReplayControl& control = {});

}  // namespace tilewright::sim
