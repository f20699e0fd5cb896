// Accesses and computes by outcome on zeros, as text.
#pragma once

#include <string>

#include "sparse/costs.hpp"
#include "workload/einsum.hpp"

namespace tilewright::report {

/// A line about computes, and tables: densities, accesses by memory and tensor, and room for compressed formats.
std::string sparse_text(const Einsum& einsum, const sparse::Costs& costs);

}  // namespace tilewright::report
