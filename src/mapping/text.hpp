// A mapping as a loop nest for people, like Timeloop's map.txt:
//
//     DRAM [ Weights:864 Inputs:151875 Outputs:401408 ]
//     -------------------------------------------------
//     | for Q in [0:28)
//
//     Buffer [ Inputs:6075 Outputs:14336 ]
//     ------------------------------------
//     |   for P in [0:4,3)
//     |     for K in [0:8) (Spatial-X)
//     |       << Compute >>
//
// Words are of the largest tile per instance; an imperfect loop shows the iterations of its last run ("[0:4,3)").
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// Loops of extent 1 are left out. Works for uneven nests too. Requires indices that exist. Throws OverflowError.
std::string loop_nest_text(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

}  // namespace tilewright
