// Cascades as text.
//
//     size h=12, m=512, l=512, e=64, f=64;
//     cache K, V;
//     S[h,m,l] += Q[h,m,e] * K[h,l,e];                             # sums over e, which S does not have
//     online top[h,m], sum[h,m] += softmax(S[h,m,l]);              # row statistics that may be read unfinished
//     P[h,m,l] = exp(S[h,m,l] - top[h,m]) / sum[h,m];
//     attention.mix: O[h,m,f] += P[h,m,l] * V[h,l,f];              # with a name of its own
//
//     text      := { statement [";"] | ";" }           comments run from "#" to the end of the line
//     statement := [ label ":" ] [ "online" ] tensor { "," tensor } ("=" | "+=" | "max=") expression
//                | ("input" | "weight" | "cache" | "output" | "tensor") declared { "," declared }
//                | "view" declared "of" name           rows of that tensor, picked by an index: moves nothing
//                | "size" name "=" number { "," name "=" number }
//                | "block" name number "{" text "}"    as often as the number says
//                | "carry" name "->" name              in a block: what the first is, the second is in the next repeat
//     declared  := name [ "[" [ size { "," size } ] "]" ]          size := number | name of a size
//     tensor    := [ "~" ] name [ "[" [ rank { "," rank } ] "]" ]  "~": words picked by an index, anywhere
//     rank      := ["-"] term { ("+" | "-") term }     term := number [["*"] name] | name
//     expression := factor { ("*" | "/" | "+" | "-") factor }
//     factor    := number | tensor | function "(" expression ")" | "(" expression ")"
//
// A number in a rank is an offset: I[c, p+r-1] has padding 1 before the first row. The order of the terms of a rank
// says nothing, nor do those of one value; where terms cannot meet (64h+e with e below 64) the einsum's own operand has
// a rank for each (canonical.hpp). A tensor that no statement writes is an input, one that no statement reads an
// output, unless it is declared; "tensor" only gives a shape. A tensor that is declared with a shape may be read or
// written in part; otherwise its extents are what its writer reaches, and readers have to agree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright {

/// `extents` are further sizes. Throws InputError with line and column: syntax; unknown_name for a dimension without
/// size or a function that is not known; unknown_tensor for a declared tensor that no statement has; duplicate_key for
/// a size that is given twice; bad_value for a tensor that is read before it is written, for sizes that disagree, for a
/// size that no statement uses and for all else that makes a cascade malformed; overflow; unsupported for an einsum of
/// too many dimensions, tensors or ranks.
Cascade parse_cascade(std::string_view text, const std::vector<std::pair<std::string, std::int64_t>>& extents = {},
                      const std::string& name = "cascade", const std::string& file = "");

/// Whether a text is a cascade rather than one einsum: it has more than one statement.
bool is_cascade_text(std::string_view text);

}  // namespace tilewright
