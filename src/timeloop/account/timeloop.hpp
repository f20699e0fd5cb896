// Timeloop's own counting (`--account timeloop`), to the digit: timeloop-model's report for an even mapping.
//
// Timeloop samples a nest: it evaluates iterations 0 and 1 of every loop (and the last ones of loops with remainders),
// extrapolates from iteration 1, copies spatial element 0 to all elements and multiplies by a truncated instance count.
// This is nearly always exact for perfect factors without link transfers; docs/timeloop.md lists the exceptions and the
// counts of the exact model (model/exact/model.hpp), which shares nothing with this one.
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

/// The defaults are Timeloop's.
struct TimeloopOptions {
    /// A neighbour forwards words of its previous invocation; no second read. Timeloop judges this on sampled
    /// iterations, with false positives and negatives. Off: TIMELOOP_DISABLE_LINK_TRANSFERS=1.
    bool link_transfers = true;
    /// Iteration 1 of a loop stands for all later ones. Off: every iteration is walked (time: product of the trip
    /// counts): TIMELOOP_DISABLE_TEMPORAL_EXTRAPOLATION=1.
    bool temporal_extrapolation = true;
    /// Element 0 of a spatial block stands for all of them. Off: TIMELOOP_DISABLE_SPATIAL_EXTRAPOLATION=1.
    bool spatial_extrapolation = true;
    /// No read precedes the first arrival of a result element. Off: TIMELOOP_ENABLE_FIRST_READ_ELISION=0.
    bool first_read_elision = true;
    /// A stationary tile under a stepping loop is no change of direction: its halo survives until the next move. Off:
    /// Timeloop before 2025, the version of some published reference outputs (docs/timeloop.md).
    bool reuse_after_pause = true;
    /// The first arrival of a result element counts as a fill at its destination, without a read of the outer memory:
    /// Timeloop before 2022, as in published reference outputs (docs/timeloop.md).
    bool first_fills = false;
    /// One energy per access for reads, fills and updates, that of the memory's dearest action: older still.
    bool dearest_action = false;

    bool operator==(const TimeloopOptions&) const = default;
};

/// One tensor at one memory. Words per instance, as reported by Timeloop; multiply by `instances`.
struct TimeloopTensor {
    bool kept = false;
    std::int64_t tile_words = 0;       ///< the largest tile; 0 unless kept
    std::int64_t partition_words = 0;  ///< one instance's share of the whole tensor
    double instances = 0.0;            ///< integer: the average number in use, truncated
    std::int64_t clusters = 0;
    std::int64_t reads = 0;
    std::int64_t fills = 0;
    std::int64_t updates = 0;
    std::int64_t temporal_reductions = 0;
    std::int64_t address_generations = 0;  ///< per cluster
    double energy_pj_per_instance = 0.0;
    double energy_pj = 0.0;  ///< reads, fills and updates of all instances
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

/// Accesses with multicast factor `multicast`, in `scatter` concurrent groups.
struct MulticastSignature {
    std::int64_t multicast = 1;
    std::int64_t scatter = 1;
    double accesses = 0.0;
};

/// One tensor on one network, per instance of the outer memory unless noted.
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
    double energy_pj = 0.0;  ///< all instances, link transfers included
    double delivered = 0.0;  ///< copies arriving below
    double hops = 0.0;
};

/// The network below one memory; two if results use a network of their own.
struct TimeloopNetwork {
    std::string name;  ///< the architecture's name, else "outer <==> inner"
    int memory = 0;    ///< outer end, index into Architecture::memories
    NetworkKind kind = NetworkKind::legacy;
    std::vector<TimeloopFlow> tensors;  ///< by tensor index
};

struct TimeloopResult {
    /// Set if Timeloop refuses the mapping; the fields below are then meaningless.
    std::optional<Violation> refusal;
    /// Names a negative count, else empty. Timeloop converts it to an unsigned integer, which C++ leaves undefined: its
    /// numbers are an accident.
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

/// Counts `mapping` as Timeloop does. An illegal or uneven mapping gives a result with `refusal` at Timeloop's level.
/// Throws OverflowError if a count leaves 64 bits.
TimeloopResult timeloop(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                        const TimeloopOptions& options = {});

/// The same numbers as an Evaluation. Requires a result without refusal.
Evaluation to_evaluation(const TimeloopResult& result, const Architecture& architecture);

}  // namespace tilewright::account
