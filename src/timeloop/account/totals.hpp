// From counts to energy, cycles and refusals: the compute array, the memories and the networks (Timeloop,
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

/// What the evaluation of every component looks at. Storage levels are innermost first.
struct Counted {
    const Einsum& einsum;
    const Architecture& architecture;
    const Nest& nest;
    std::vector<std::vector<StorageTraffic>> tensors;  ///< by tensor, by storage level

    int storages() const { return architecture.memory_count(); }
    const Memory& memory(int storage) const { return architecture.memories[storages() - 1 - storage]; }
    const StorageTraffic& traffic(int storage, int tensor) const { return tensors[tensor][storage]; }
};

/// What is counted before anything is charged.
struct DenseCounts {
    std::optional<Violation> refusal;  ///< Timeloop exits; nothing below is meaningful then
    Nest nest;
    std::vector<std::vector<StorageTraffic>> tensors;  ///< by tensor, by storage level
    double computes_per_instance = 0.0;
    std::int64_t compute_instances = 1;
    Unsigned guard;
};

/// `instances_may_shrink`: how many units a mapping needs is judged later, by whoever leaves some of them out.
DenseCounts dense_counts(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                         const TimeloopOptions& options, bool instances_may_shrink = false);

/// One energy for all accesses of a memory (TimeloopOptions::dearest_action).
Architecture with_dearest_actions(Architecture architecture);

/// Too many instances in use, or too many along an axis of the mesh.
std::optional<Violation> too_many(const Mesh& used, double instances, const Mesh& mesh, std::int64_t available,
                                  const std::string& level);

/// What the bandwidths of a memory make of the rates that its tensors ask for while the array computes
/// `compute_cycles`: its slowdown, its cycles, and the rates that it has then.
void throttle(const Memory& memory, std::int64_t compute_cycles, TimeloopMemory& result);

/// Does the array have the compute units that the spatial loops ask for?
std::optional<Violation> compute_refusal(const Architecture& architecture, const Nest& nest);

/// Does what a storage level holds fit (and fill) it, and does it have the instances?
std::optional<Violation> storage_refusal(const Counted& counted, int storage);

/// One memory, given the cycles of the compute array. Leakage is left out: it needs the cycles of all.
TimeloopMemory evaluate_memory(const Counted& counted, int storage, std::int64_t compute_cycles);

/// Leakage of all instances of a memory over `cycles`.
double leakage_pj(const Counted& counted, int storage, std::int64_t cycles);
/// The same where `most_instances` of a storage level are used by some tensor.
double leakage_pj(const Architecture& architecture, int storage, std::int64_t cycles,
                  const std::function<double(int storage)>& most_instances);

/// The networks below a storage level.
std::vector<TimeloopNetwork> evaluate_networks(const Counted& counted, int storage, Unsigned& guard);

/// What a transfer takes from end to end, added once to the cycles of the whole.
std::int64_t network_latency(const Counted& counted, int storage);

}  // namespace tilewright::account
