// What became of accesses and computes where elements are zero, as text.
#pragma once

#include <string>

#include "sparse/costs.hpp"
#include "workload/einsum.hpp"

namespace tilewright::report {

/// A line about computes, and tables: what is known of tensors, accesses by memory and tensor, and room where there is
/// a format.
std::string sparse_text(const Einsum& einsum, const sparse::Costs& costs);

}  // namespace tilewright::report
