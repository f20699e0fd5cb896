// Cascades as text.
//
//     size h=12, m=512, l=512, e=64, f=64;
//     cache K, V;
//     S[h,m,l] += Q[h,m,e] * K[h,l,e];                             # reduction over e, absent from S
//     online top[h,m], sum[h,m] += softmax(S[h,m,l]);              # row statistics, readable unfinished
//     P[h,m,l] = exp(S[h,m,l] - top[h,m]) / sum[h,m];
//     attention.mix: O[h,m,f] += P[h,m,l] * V[h,l,f];              # with a name of its own
//
//     text      := { statement [";"] | ";" }           comments run from "#" to the end of the line
//     statement := [ label ":" ] [ "online" ] tensor { "," tensor } ("=" | "+=" | "max=") expression
//                | ("input" | "weight" | "cache" | "output" | "tensor") declared { "," declared }
//                | "view" declared "of" name           rows of this tensor, picked by an index: moves nothing
//                | "size" name "=" number { "," name "=" number }
//                | "block" name number "{" text "}"    repeated by the number
//                | "carry" name "->" name              in a block: the first becomes the second in the next repeat
//     declared  := name [ "[" [ size { "," size } ] "]" ]          size := number | name of a size
//     tensor    := [ "~" ] name [ "[" [ rank { "," rank } ] "]" ]  "~": words picked by an index, anywhere
//     rank      := ["-"] term { ("+" | "-") term }     term := number [["*"] name] | name
//     expression := factor { ("*" | "/" | "+" | "-") factor }
//     factor    := number | tensor | function "(" expression ")" | "(" expression ")"
//
// A number in a rank is an offset: I[c, p+r-1] has padding 1 before the first row. Order and single-valued terms of a
// rank are irrelevant; terms that cannot meet (64h+e with e below 64) have a rank each in the einsum's own operand
// (canonical.hpp). An unwritten tensor is an input, an unread one an output, unless declared; "tensor" only gives a
// shape. A tensor declared with a shape may be read or written in part; otherwise its extents are its writer's reach,
// and readers have to agree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright {

/// `extents`: further sizes. Throws InputError with line and column: syntax; unknown_name for a dimension without size
/// or an unknown function; unknown_tensor for an unused declaration; duplicate_key for a size given twice; bad_value
/// for a tensor read before it is written, for disagreeing or unused sizes and for any other malformation; overflow;
/// unsupported for an einsum of too many dimensions, tensors or ranks.
Cascade parse_cascade(std::string_view text, const std::vector<std::pair<std::string, std::int64_t>>& extents = {},
                      const std::string& name = "cascade", const std::string& file = "");

/// Whether a text is a cascade rather than one einsum: more than one statement.
bool is_cascade_text(std::string_view text);

}  // namespace tilewright
