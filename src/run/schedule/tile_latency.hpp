// A core's latency of an operation by our own mappers: that of the best mapping of its tile on the core.
//
//     machine.mapped = schedule::MappedLatency("eyeriss (a hash)", std::make_shared<TileLatency>(architecture,
//     constraints));
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapspace/constraints.hpp"
#include "schedule/problem/latency.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// Maps every tile shape once, on demand, with the default mapper and the objective latency; the shape as a convolution
/// of workload/shapes.hpp, with its tensors in the core's outermost memory. Equal tiles have equal cycles on any
/// thread. The outermost memory represents the scratchpad, with its own bandwidth.
class TileLatency : public schedule::TileCycles {
   public:
    /// `constraints`: of an einsum's mappings; called one at a time.
    TileLatency(Architecture architecture, std::function<Constraints(const Einsum&)> constraints);

    /// Throws InputError if a tile has no legal mapping.
    std::int64_t cycles(const schedule::TileShape& tile) const override;
    /// All compute units busy all the time.
    std::int64_t at_least(const schedule::TileShape& tile) const override;

   private:
    Architecture architecture_;
    std::function<Constraints(const Einsum&)> constraints_;
    mutable std::mutex mutex_;  ///< of the members below, and of the constraints
    mutable std::map<schedule::TileShape, std::int64_t> known_;
};

}  // namespace tilewright
