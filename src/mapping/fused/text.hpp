// Fused mappings as text, both ways: a loop nest with indentation for nesting.
//
//     store DRAM: A, W1, W2, C
//       for p by 16                          # of fc2, the last einsum inside
//         store Buffer: A, B, C
//           split
//             leaf fc1
//               for m by 4 across X
//               for k by 1
//             leaf fc2
//               box p=16 n=64 m=64           # the nest of boxes of this size only
//               store Registers: C
//               for n by 1
//
//     node := "store" MEMORY ":" TENSOR {"," TENSOR} | "fresh store" ... | "for" DIMENSION "by" STEP | "split"
//           | "leaf" EINSUM, with lines of its nest inside: "box" {DIMENSION "=" EXTENT}, "store" ..., "for" ...
//             ["across" ("X" | "Y")]
//
// A leaf without lines is left open (is_open()). "#" begins a comment. Names with blanks, commas, colons or "#" stand
// in double quotes.
// Source places of a fused mapping, for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.hpp"
#include "base/error.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "mapping/fused/validity.hpp"

namespace tilewright {

struct PlacedFusedMapping {
    FusedMapping mapping;
    Location whole;               ///< no file: not read from one
    std::vector<Location> nodes;  ///< by node
};

/// "fused.yaml:7:5: Buffer holds 70 words while ..."; the message alone for a mapping of no file.
std::string placed_text(const FusedViolation& violation, const PlacedFusedMapping& placed);

/// Requires problem_with_tree() to be "".
std::string to_text(const FusedMapping& mapping, const Cascade& cascade, const Architecture& architecture);

/// Throws InputError at its place: syntax; unknown_level, unknown_tensor, unknown_name with the nearest name; bad_value
/// for no tree. `file`: for places.
PlacedFusedMapping parse_fused_mapping(std::string_view text, const Cascade& cascade, const Architecture& architecture,
                                       const std::string& file = "<text>");

}  // namespace tilewright
