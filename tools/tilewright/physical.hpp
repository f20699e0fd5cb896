// `--latency physical`: cycles on the machine as built, beside the plain model's (docs/silicon.md).
#pragma once

#include <string>

#include "exit_status.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "report/report.hpp"
#include "search.hpp"
#include "silicon/files/silicon.hpp"

namespace tilewright::cli {

/// The section `silicon` of the machine that was given. Throws InputError(usage) where it has none.
silicon::Silicon silicon_of(const std::string& verb, const Inputs& inputs, const Architecture& architecture);

/// What each mapped layer takes as built, in its result and in the notes, which say what that leaves out.
void add_cycles_as_built(const silicon::Silicon& silicon, report::Report& report);

/// "conv1: 453,892 cycles as built, replayed tile by tile" for a layer on a machine with a systolic array, or why there
/// are none; nothing on other machines.
std::vector<std::string> replayed_note(const Inputs& inputs, const Architecture& architecture, const std::string& layer,
                                       const Einsum& einsum, const Mapping& mapping);

/// Maps every shape to take the least time as built, and writes the report.
ExitStatus map_physically(Inputs& inputs, const SearchPlan& plan, const OutputOptions& output);

struct GemminiText {
    std::string yaml;
    std::string failure;  ///< why its loops cannot run the mapping, or ""
};

/// The arguments of Gemmini's own loops for a mapping on a machine with a systolic array. Throws InputError(usage)
/// where the machine has none.
GemminiText gemmini_text(const Inputs& inputs, const Layer& layer, const Architecture& architecture,
                         const Mapping& mapping);

}  // namespace tilewright::cli
