// Writes einsums as Timeloop problems.
#pragma once

#include <string>
#include <vector>

#include "sparse/density.hpp"
#include "workload/einsum.hpp"

namespace tilewright::timeloop {

/// A problem file that read_problem reads back to an equal einsum, and Timeloop reads too.
std::string write_problem(const Einsum& einsum);

/// With what is known of its tensors' zeros, by tensor. N:M and places from files only Tilewright reads.
std::string write_problem(const Einsum& einsum, const std::vector<sparse::Density>& densities);

}  // namespace tilewright::timeloop
