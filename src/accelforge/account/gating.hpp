// Which share of each component leaks when what is not used can be switched off. Internal to account/.
#pragma once

#include <vector>

#include "accelforge/account/counts.hpp"

namespace tilewright::accelforge {

/// By component. AccelForge divides the share of a fan-out that is in use by the fan-out once more; so does this.
std::vector<double> leaking_share(const EinsumPath& path, const EinsumCounts& counts);

/// By component: instances, the component's own fan-out left out (as AccelForge does).
std::vector<double> outer_instances(const MachineSpec& machine);

}  // namespace tilewright::accelforge
