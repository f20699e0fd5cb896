// What plans on packages take of Python's words.
#pragma once

#include <string>
#include <vector>

#include "model/objective.hpp"
#include "values.hpp"
#include "zeros.hpp"

namespace tilewright::python {

/// By the table of capabilities, as the command line does: throws InputError(usage).
void refuse_on_packages(const ReadCascade& cascade, const std::vector<DensityWord>& density);
/// "energy", "latency" or "edp". Throws InputError(usage).
Objective planning_objective(const std::string& text);

}  // namespace tilewright::python
