// Fused mappings as files: YAML both ways (docs/fusion.md has the meaning; mapping/fused/text.hpp is the short form).
//
//     schema: tilewright-fused-mapping/1                 # may be absent: version 1
//     fused_mapping:
//       - {store: DRAM, tensors: [A, W1, W2, C]}
//       - {loop: p, step: 16}                            # of fc2, the last einsum inside
//       - {store: Buffer, tensors: [A, B, C]}            # fresh: true keeps nothing from step to step
//       - split:                                         # branches in sequence
//           - - leaf: fc1
//               mapping: [{loop: m, step: 4, across: X}, {store: Registers, tensors: [O]}, {loop: k, step: 1}]
//           - - leaf: fc2
//               boxes:                                   # instead of `mapping`: by the size of the box
//                 - {box: {p: 12}, mapping: [{loop: n, step: 1}]}
//                 - mapping: [{loop: n, step: 2}, {loop: n, step: 1}]
//
// A leaf with neither `mapping` nor `boxes` is open (is_open()).
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "mapping/fused/text.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// `root`: the file. Throws InputError at its place: unsupported for another version; unknown_level, unknown_tensor,
/// unknown_name with the nearest name; bad_value for a malformed tree.
PlacedFusedMapping read_fused_mapping(const yaml::Node& root, const Cascade& cascade, const Architecture& architecture);

/// Inverse of read_fused_mapping. Requires problem_with_tree() to be "".
std::string write_fused_mapping(const FusedMapping& mapping, const Cascade& cascade, const Architecture& architecture);

}  // namespace tilewright::native
