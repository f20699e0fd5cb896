// Duration of a step: maximum of delivery, collection, forwarding and computation (MAESTRO, section 4.3).
// Counts of a dataflow on a two-level machine, common to the analysis and its judge.
//
// Defined in docs/maestro.md. Words are tensor elements; a level's numbers are sums over all its instances.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/numbers/checked.hpp"
#include "maestro/dataflow/dataflow.hpp"

namespace tilewright::dataflow {

/// Words moved in one step of a level.
struct StepTraffic {
    std::int64_t input = 0;   ///< multicast
    std::int64_t filter = 0;  ///< multicast
    std::int64_t output = 0;
    std::int64_t forwarded = 0;  ///< copies forwarded by neighbours, without multicast
};

/// The non-zero share of `count`, rounded up.
inline std::int64_t dense(std::int64_t count, double share) {
    return share >= 1.0 ? count : sparse::marked_of(share, count);
}

/// Cycles of a transfer; 0 without bytes.
inline std::int64_t transfer_cycles(std::int64_t bytes, const Hardware& hardware) {
    if (bytes == 0) return 0;
    const std::int64_t transfers = hardware.noc_bytes_per_cycle ? ceil_div(bytes, *hardware.noc_bytes_per_cycle) : 1;
    return hardware.noc_latency_cycles + transfers - 1;
}

/// Cycles of one unit's operations in one step.
inline std::int64_t compute_cycles(std::int64_t operations, const Hardware& hardware, const Densities& density) {
    return ceil_div(dense(operations, density.of_operations()), hardware.vector_width);
}

/// Cycles of a step. Double buffers hide all but the longest part; the first step waits for its operands, nothing for
/// results. `on_chip`: the sub-clusters are lanes of one unit, fed at once by its buffer.
inline std::int64_t step_cycles(const StepTraffic& step, std::int64_t compute, bool first, bool on_chip,
                                const Hardware& hardware, const Densities& density) {
    if (on_chip) return compute;
    const std::int64_t words = dense(step.input, density.input.density) + dense(step.filter, density.filter.density);
    const std::int64_t in = transfer_cycles(words * hardware.operand_bytes, hardware);
    const std::int64_t out = transfer_cycles(dense(step.output, density.output.density) * hardware.sum_bytes, hardware);
    const std::int64_t forwarding = hardware.multicast ? 0 : step.forwarded;
    return first ? compute + std::max(in, forwarding) : std::max({compute, in, out, forwarding});
}

/// Bytes per cycle to hide a step's traffic behind its computation; all at once without any.
inline std::int64_t needed_bytes_per_cycle(const StepTraffic& step, std::int64_t compute, const Hardware& hardware,
                                           const Densities& density) {
    const std::int64_t words = dense(step.input, density.input.density) + dense(step.filter, density.filter.density);
    const std::int64_t results = dense(step.output, density.output.density);
    return ceil_div(std::max(words * hardware.operand_bytes, results * hardware.sum_bytes),
                    std::max<std::int64_t>(compute, 1));
}

/// True for levels of lanes: below Cluster(n,L) inside some Cluster(m,P). Without any P cluster logical units are
/// physical ones (MAESTRO, section 3.1.1).
template <typename Levels>
bool is_on_chip(const Levels& levels, std::size_t index) {
    if (index == 0 || levels[index].kind == ClusterKind::physical) return false;
    for (std::size_t i = 1; i < index; ++i)
        if (levels[i].kind == ClusterKind::physical) return true;
    return false;
}

/// Words of an operand sent by a level's buffer to its sub-clusters, in three countings.
struct Sent {
    std::int64_t multicast = 0;  ///< once per word and step, however many receivers
    std::int64_t unicast = 0;    ///< once per receiver
    std::int64_t array = 0;      ///< words new to all sub-clusters, idle ones included: the rest after forwarding
    std::int64_t first = 0;      ///< maximum multicast words of a first step
    std::int64_t later = 0;      ///< maximum of any other step

    bool operator==(const Sent&) const = default;
};

struct LevelCounts {
    std::int64_t steps = 0;
    Sent input;
    Sent filter;
    std::int64_t output_each = 0;      ///< results leaving after every step
    std::int64_t output_change = 0;    ///< results leaving if the array keeps stationary ones
    std::int64_t output_most = 0;      ///< maximum of a single step
    std::int64_t bytes_per_cycle = 0;  ///< network bandwidth without stalls after the first step

    bool operator==(const LevelCounts&) const = default;
};

struct Counts {
    std::vector<LevelCounts> levels;  ///< the top one first
    std::int64_t operations = 0;      ///< executed multiply-accumulates
    std::int64_t runtime_cycles = 0;

    bool operator==(const Counts&) const = default;
};

}  // namespace tilewright::dataflow
