// The mapping of a layer that takes the least time on a machine as built.
//
// On a systolic machine it is proven among tiles of whole blocks of channels and all orders that finish sums; on a
// machine of kernels among all kernels that it has for the product: tiles of thread blocks and splits that its file
// lists. No mapping that physical_latency() knows takes less there. docs/silicon.md says more.
//
// Free functions on values; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/stop.hpp"
#include "run/map_network.hpp"
#include "run/physical/physical_latency.hpp"

namespace tilewright {

struct PhysicalAnswer {
    std::optional<Mapping> mapping;
    PhysicalLatency latency;
    bool proven = false;
    std::string claim;          ///< what is proven, or why nothing is, in words
    std::int64_t mappings = 0;  ///< in the space that the claim is about
    std::int64_t compared = 0;  ///< of them computed in full
    std::string failure;        ///< why there is no mapping
    bool unknown = false;       ///< that is: the machine's model does not know the layer
};

/// The tensors that each level keeps: what constraints demand; the outermost memory keeps everything.
std::vector<TensorSet> kept_by(const Einsum& einsum, const Architecture& architecture, const Constraints& constraints);

/// `keep`: the tensors that each level keeps.
PhysicalAnswer map_physically(const Einsum& einsum, const Architecture& architecture,
                              const std::vector<TensorSet>& keep, const silicon::Silicon& silicon,
                              const StopSource* stop = nullptr);

/// The same for the shapes of a network, with the exact model's counts of these mappings; a layer that the machine's
/// model does not know is left to map_layer(). Both outlive what is made.
MapsShape physical_mapper(const NetworkProblem& problem, const silicon::Silicon& silicon);

}  // namespace tilewright
