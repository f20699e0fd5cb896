// Einsums as text: "O[n,k,p,q] += W[k,c,r,s] * I[n,c,2p+r,2q+s]".
//
//     formula := tensors ("=" | "+=") tensor { "*" tensor }        tensors := tensor { "," tensor }
//     tensor  := name [ "[" [ rank { "," rank } ] "]" ]            rank := "0" | ["-"] term { ("+" | "-") term }
//     term    := [ number ["*"] ] name
//
// Names are letters, digits and underscores, not starting with a digit. The tensors on the left are written. In the
// einsum operands come first and results last, as in Timeloop's shapes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright {

/// Dimensions in the order of `extents`, each used and given. Throws InputError with the column: syntax; unknown_name
/// for a dimension without extent; bad_value for a malformed einsum; overflow beyond 64 bits of operations or tensor
/// words; unsupported for constant offsets.
Einsum parse_einsum(std::string_view text, const std::vector<std::pair<std::string, std::int64_t>>& extents);

}  // namespace tilewright
