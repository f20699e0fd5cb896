// Instances below a memory, and those used by a spatial tile.
#pragma once

#include "arch/architecture.hpp"
#include "timeloop/tileflow/tree.hpp"

namespace tilewright::tileflow {

/// Between a memory and the next inner one. Requires one.
Mesh fanout_below(const Architecture& architecture, int memory);

/// 1 x 1 for all but spatial tiles.
Mesh instances_of(const TreeNode& node);

}  // namespace tilewright::tileflow
