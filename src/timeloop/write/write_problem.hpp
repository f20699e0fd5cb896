// Writes einsums as Timeloop problems.
#pragma once

#include <string>

#include "workload/einsum.hpp"

namespace tilewright::timeloop {

/// A problem file that read_problem reads back to an equal einsum, and Timeloop reads too.
std::string write_problem(const Einsum& einsum);

}  // namespace tilewright::timeloop
