// Uneven mappings as text, one line per operand, innermost memory and loop first:
//
//     O: rf_o [C3 FX3] buffer [K4 OX7] dram [OY7]
//     W: rf_w [C3] dram [FX3 K4 OX7 OY7]
//     I: rf_i [] buffer [C3 FX3 K4] dram [OX7 OY7]
//
// and as a loop nest with one memory column per operand.
#pragma once

#include <string>
#include <string_view>

#include "zigzag/accounting/spatial.hpp"
#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"
#include "zigzag/values/uneven_mapping.hpp"

namespace tilewright::zigzag {

/// One line per operand. Requires a mapping without problem (nest.hpp).
std::string to_text(const Accelerator& accelerator, const Layer& layer, const UnevenMapping& mapping);

/// The levels of one operand: "rf_w [C3] dram [FX3 K4 OX7 OY7]".
std::string levels_text(const Accelerator& accelerator, const Layer& layer, int operand,
                        const std::vector<LevelLoops>& levels);

/// Inverse of levels_text(). Throws InputError with the column: syntax; unknown_level for memories other than the
/// operand's, in order; unknown_name for dimensions; bad_value for extents.
std::vector<LevelLoops> parse_levels(const Accelerator& accelerator, const Layer& layer, int operand,
                                     std::string_view text);

/// The nest in readable form: outermost loop first, each with every operand's memory below it.
std::string nest_text(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& spatial,
                      const UnevenMapping& mapping);

}  // namespace tilewright::zigzag
