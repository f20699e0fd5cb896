// Timeloop's own counting (`--account timeloop`), to the digit: what timeloop-model reports for an even mapping.
//
// Timeloop samples a nest instead of walking it: it evaluates iterations 0 and 1 of every loop (and the last ones of
// loops with remainders), lets iteration 1 stand for the rest, takes every spatial element for a copy of the first one
// and multiplies by a truncated number of instances. For perfect factors without link transfers that is nearly always
// exact; docs/timeloop.md says where it is not and what the exact model (model/exact/model.hpp) counts instead. Nothing
// of this leaks into the exact model.
//
// Pure functions of values; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapping/validity.hpp"
#include "model/evaluation.hpp"
#include "workload/einsum.hpp"

namespace tilewright::account {

/// The defaults are Timeloop's: what its users see.
struct TimeloopOptions {
    /// Words that a neighbour received in the invocation before are passed on by the neighbour instead of being read
    /// again. Timeloop judges this on sampled iterations, so it claims and misses some. Off:
    /// TIMELOOP_DISABLE_LINK_TRANSFERS=1.
    bool link_transfers = true;
    /// Iteration 1 of a loop stands for all later ones. Off, every iteration is walked (time grows with the product of
    /// the loops' trip counts): TIMELOOP_DISABLE_TEMPORAL_EXTRAPOLATION=1.
    bool temporal_extrapolation = true;
    /// Element 0 of a spatial block stands for all of them. Off: TIMELOOP_DISABLE_SPATIAL_EXTRAPOLATION=1.
    bool spatial_extrapolation = true;
    /// The first arrival of each element of a result is not preceded by a read. Off:
    /// TIMELOOP_ENABLE_FIRST_READ_ELISION=0.
    bool first_read_elision = true;
    /// A tile that stands still while a loop steps does not count as a change of direction, so that it keeps its halo
    /// at the next move. Off: Timeloop before 2025, which made some of its published reference outputs
    /// (docs/timeloop.md).
    bool reuse_after_pause = true;
    /// The first arrival of each element of a result counts as a fill where it arrives, although the memory around it
    /// is not read for it: Timeloop before 2022, as published reference outputs show (docs/timeloop.md).
    bool first_fills = false;
    /// A memory has one energy per access, that of its dearest action, for reads, fills and updates: older still.
    bool dearest_action = false;

    bool operator==(const TimeloopOptions&) const = default;
};

/// One tensor at one memory. Counts are words per instance, as Timeloop reports them; `instances` multiplies them.
struct TimeloopTensor {
    bool kept = false;
    std::int64_t tile_words = 0;       ///< the largest tile; 0 unless kept
    std::int64_t partition_words = 0;  ///< the share of the whole tensor that one instance ever sees
    double instances = 0.0;            ///< a whole number: the average number in use, truncated
    std::int64_t clusters = 0;
    std::int64_t reads = 0;
    std::int64_t fills = 0;
    std::int64_t updates = 0;
    std::int64_t temporal_reductions = 0;
    std::int64_t address_generations = 0;  ///< per cluster
    double energy_pj_per_instance = 0.0;
    double energy_pj = 0.0;  ///< of reads, fills and updates of all instances
    double address_energy_pj = 0.0;
    double read_words_per_cycle = 0.0;  ///< per instance, after throttling
    double write_words_per_cycle = 0.0;
};

struct TimeloopMemory {
    std::string name;
    std::int64_t cycles = 0;
    double slowdown = 1.0;
    Bound bound = Bound::compute;
    double leakage_pj = 0.0;
    std::vector<TimeloopTensor> tensors;  ///< by tensor index
};

/// Accesses of one memory that each reach `multicast` children, of which there are `scatter` such groups at a time.
struct MulticastSignature {
    std::int64_t multicast = 1;
    std::int64_t scatter = 1;
    double accesses = 0.0;
};

/// One tensor on one network, per instance of the outer memory unless said otherwise.
struct TimeloopFlow {
    std::int64_t fanout = 0;
    std::int64_t multicast = 0;  ///< the largest
    double ingresses = 0.0;
    std::vector<MulticastSignature> signatures;
    std::int64_t link_transfers = 0;
    std::int64_t spatial_reductions = 0;
    double average_hops = 0.0;
    double energy_pj_per_hop = 0.0;
    double energy_pj_per_instance = 0.0;
    double link_energy_pj_per_instance = 0.0;
    double energy_pj = 0.0;  ///< all instances, with the link transfers
    double delivered = 0.0;  ///< copies that arrive below
    double hops = 0.0;
};

/// The network below one memory; two of them when results leave over another one than operands come in.
struct TimeloopNetwork {
    std::string name;  ///< "outer <==> inner" unless the architecture names it
    int memory = 0;    ///< outer end, index into Architecture::memories
    NetworkKind kind = NetworkKind::legacy;
    std::vector<TimeloopFlow> tensors;  ///< by tensor index
};

struct TimeloopResult {
    /// Set when Timeloop refuses the mapping; nothing below is meaningful then.
    std::optional<Violation> refusal;
    /// Not empty when a count came out negative: Timeloop converts it to an unsigned integer, which C++ leaves
    /// undefined, so that its numbers are an accident. Says which count.
    std::string undefined;

    std::int64_t computes = 0;
    std::int64_t compute_cycles = 0;
    std::int64_t compute_units_used = 0;
    double compute_energy_pj = 0.0;
    std::int64_t cycles = 0;
    std::int64_t network_latency_cycles = 0;
    double utilization = 0.0;
    double energy_pj = 0.0;
    double area_um2 = 0.0;
    std::vector<TimeloopMemory> memories;   ///< outermost first, as in the architecture
    std::vector<TimeloopNetwork> networks;  ///< outermost first
};

/// Counts `mapping` as Timeloop does. An illegal mapping (also one that is not even) gives a result with `refusal` set,
/// at the level that Timeloop names. Throws OverflowError when a count leaves 64 bits.
TimeloopResult timeloop(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                        const TimeloopOptions& options = {});

/// The same numbers in the common form for reports. Requires a result without refusal.
Evaluation to_evaluation(const TimeloopResult& result, const Architecture& architecture);

}  // namespace tilewright::account
