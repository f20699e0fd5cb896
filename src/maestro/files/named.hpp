// The dataflows of MAESTRO's Table 2 and of its public files by name, for any layer.
#pragma once

#include <string>
#include <vector>

#include "maestro/dataflow/dataflow.hpp"

namespace tilewright::maestro {

struct NamedDataflow {
    std::string name;         ///< "nvdla"
    std::string description;  ///< one line: source and reading
    std::string text;         ///< directives in the notation
};

/// In the order of Table 2, then the public ones.
const std::vector<NamedDataflow>& named_dataflows();

/// Throws InputError(unknown_name) with the nearest name.
dataflow::Dataflow named_dataflow(const std::string& name);

}  // namespace tilewright::maestro
