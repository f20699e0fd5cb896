// Machines whose files say how they were built (docs/silicon.md): time as built, and arguments of Gemmini's loops.
#pragma once

#include <string>

#include "inputs/inputs.hpp"
#include "silicon/files/silicon.hpp"

namespace tilewright::cli {

/// The section `silicon` of the machine that was given. Throws InputError(usage) where it has none.
silicon::Silicon silicon_of(const std::string& verb, const Inputs& inputs, const Architecture& architecture);

/// "conv1: 453,892 cycles as built, replayed tile by tile" for a layer on a machine with a systolic array, or why there
/// are none; nothing on other machines.
std::vector<std::string> replayed_note(const Inputs& inputs, const Architecture& architecture, const std::string& layer,
                                       const Einsum& einsum, const Mapping& mapping);

struct GemminiText {
    std::string yaml;
    std::string failure;  ///< why its loops cannot run the mapping, or ""
};

/// The arguments of Gemmini's own loops for a mapping on a machine with a systolic array. Throws InputError(usage)
/// where the machine has none.
GemminiText gemmini_text(const Inputs& inputs, const Layer& layer, const Architecture& architecture,
                         const Mapping& mapping);

}  // namespace tilewright::cli
