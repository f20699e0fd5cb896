// Instances below a memory, and how many of them a spatial tile takes.
#pragma once

#include "arch/architecture.hpp"
#include "timeloop/tileflow/tree.hpp"

namespace tilewright::tileflow {

/// Between a memory and the one inside it. Requires that there is one.
Mesh fanout_below(const Architecture& architecture, int memory);

/// 1 x 1 for all but spatial tiles.
Mesh instances_of(const TreeNode& node);

}  // namespace tilewright::tileflow
