// Leaking share of each component under power gating. Internal to account/.
#pragma once

#include <vector>

#include "accelforge/account/counts.hpp"

namespace tilewright::accelforge {

/// By component. As in AccelForge, a fan-out's used share is divided by the fan-out once more.
std::vector<double> leaking_share(const EinsumPath& path, const EinsumCounts& counts);

/// By component: instances, without the component's own fan-out (as in AccelForge).
std::vector<double> outer_instances(const MachineSpec& machine);

}  // namespace tilewright::accelforge
