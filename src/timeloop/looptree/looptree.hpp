// LoopTree's files (Timeloop's mode for fused layers): a problem of several einsums, and a mapping as a tree.
//
//     problem:                                         mapping:
//     - shape:                                           type: fused
//         name: Fc1                                      nodes:
//         dimensions: [P1, M1, C1]                       - {type: storage, target: 0, dspace: [Filter1, Fmap1]}
//         data_spaces:                                   - {type: temporal, rank: P1, tile_shape: 1}
//         - name: Fmap1                                  - type: sequential
//           dimensions: [Fmap1_C, Fmap1_P]                 branches:
//           projection: '[ C1, P1 ]'                       - - {type: temporal, rank: C1, tile_shape: 1}
//       instance: 0 <= P1 < 128 and 0 <= C1 < 64             - {type: compute, einsum: Fc1, target: 2}
//
// Data spaces of one name are one tensor. A target counts the machine's levels, outermost first. Loops behind a
// branch's last storage become its leaf's mapping, all others shared loops. Branches side by side (pipeline, parallel)
// and spatial loops are refused as unsupported.
#pragma once

#include "arch/architecture.hpp"
#include "mapping/fused/text.hpp"
#include "workload/cascade/cascade.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// `problem`: the list under this key. Throws InputError at its place.
Cascade read_looptree_problem(const yaml::Node& problem);

/// `mapping`: the map under this key, with `type: fused`. Throws InputError at its place.
PlacedFusedMapping read_looptree_mapping(const yaml::Node& mapping, const Cascade& cascade,
                                         const Architecture& architecture);

}  // namespace tilewright::timeloop
