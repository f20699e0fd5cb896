// From counts to energy, cycles and refusals of the compute array, the memories and the networks (Timeloop,
// model/arithmetic.cpp, buffer.cpp, network-*.cpp and topology.cpp).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "timeloop/account/nest.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/account/traffic.hpp"
#include "timeloop/account/walk.hpp"

namespace tilewright::account {

/// Inputs of every component's evaluation. Storage levels are innermost first.
struct Counted {
    const Einsum& einsum;
    const Architecture& architecture;
    const Nest& nest;
    std::vector<std::vector<StorageTraffic>> tensors;  ///< by tensor, by storage level

    int storages() const { return architecture.memory_count(); }
    const Memory& memory(int storage) const { return architecture.memories[storages() - 1 - storage]; }
    const StorageTraffic& traffic(int storage, int tensor) const { return tensors[tensor][storage]; }
};

/// Counts before any charge.
struct DenseCounts {
    std::optional<Violation> refusal;  ///< Timeloop exits; the fields below are then meaningless
    Nest nest;
    std::vector<std::vector<StorageTraffic>> tensors;  ///< by tensor, by storage level
    double computes_per_instance = 0.0;
    std::int64_t compute_instances = 1;
    Unsigned guard;
};

/// `instances_may_shrink`: the caller judges the number of units later, after spatial skipping.
DenseCounts dense_counts(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                         const TimeloopOptions& options, bool instances_may_shrink = false);

/// One energy for all accesses of a memory (TimeloopOptions::dearest_action).
Architecture with_dearest_actions(Architecture architecture);

/// Too many instances in use, in total or along a mesh axis.
std::optional<Violation> too_many(const Mesh& used, double instances, const Mesh& mesh, std::int64_t available,
                                  const std::string& level);

/// Slowdown, cycles and throttled rates of a memory, from its bandwidths and its tensors' demand over `compute_cycles`.
void throttle(const Memory& memory, std::int64_t compute_cycles, TimeloopMemory& result);

/// Whether the array has the compute units of the spatial loops.
std::optional<Violation> compute_refusal(const Architecture& architecture, const Nest& nest);

/// Whether a storage level's tiles fit (and fill) it, and its instances suffice.
std::optional<Violation> storage_refusal(const Counted& counted, int storage);

/// One memory, given the array's cycles. Without leakage, which needs the cycles of all.
TimeloopMemory evaluate_memory(const Counted& counted, int storage, std::int64_t compute_cycles);

double leakage_pj(const Counted& counted, int storage, std::int64_t cycles);
/// The same with `most_instances`, the maximum over the tensors.
double leakage_pj(const Architecture& architecture, int storage, std::int64_t cycles,
                  const std::function<double(int storage)>& most_instances);

std::vector<TimeloopNetwork> evaluate_networks(const Counted& counted, int storage, Unsigned& guard);

/// End-to-end latency of a transfer, added once to the total cycles.
std::int64_t network_latency(const Counted& counted, int storage);

}  // namespace tilewright::account
