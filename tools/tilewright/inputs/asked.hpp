// What a command line asks for together, before anything is read: by the table of capabilities (run/composition.hpp).
#pragma once

#include <string>
#include <vector>

#include "inputs/inputs.hpp"
#include "options/search.hpp"
#include "run/composition.hpp"

namespace tilewright::cli {

/// Of what options say by themselves; what files say comes with the problem. Throws InputError(usage) of `verb`.
std::vector<Capability> capabilities_asked(const std::string& verb, const InputOptions& input, const SearchPlan& plan);

}  // namespace tilewright::cli
