// How long a core takes for an operation by our own mappers: the latency of the best mapping of its tile on the core.
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
#include "schedule/problem/mapped_latency.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// Maps every tile shape once, when it is asked for, with the default mapper and the objective latency; the shape as a
/// convolution of workload/shapes.hpp, whose tensors lie in the core's outermost memory. Equal tiles have equal cycles,
/// whichever thread asks first. The outermost memory stands for the scratchpad, with the bandwidth it has.
class TileLatency : public schedule::TileCycles {
   public:
    /// `constraints` says what mappings of an einsum have to keep to; called one at a time.
    TileLatency(Architecture architecture, std::function<Constraints(const Einsum&)> constraints);

    /// Throws InputError when a tile has no legal mapping.
    std::int64_t cycles(const schedule::TileShape& tile) const override;
    /// All compute units busy all the time.
    std::int64_t at_least(const schedule::TileShape& tile) const override;

   private:
    Architecture architecture_;
    std::function<Constraints(const Einsum&)> constraints_;
    mutable std::mutex mutex_;  ///< of what follows, and of the constraints
    mutable std::map<schedule::TileShape, std::int64_t> known_;
};

}  // namespace tilewright
