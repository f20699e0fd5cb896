// Writes einsums as Timeloop problems.
#pragma once

#include <string>
#include <vector>

#include "sparse/density.hpp"
#include "workload/einsum.hpp"

namespace tilewright::timeloop {

/// A problem file for Timeloop; read_problem reads back an equal einsum.
std::string write_problem(const Einsum& einsum);

/// With its tensors' known sparsity. N:M and measured patterns are read by Tilewright only.
std::string write_problem(const Einsum& einsum, const std::vector<sparse::Density>& densities);

}  // namespace tilewright::timeloop
