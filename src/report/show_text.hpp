// Machines and networks for people (`tilewright show`).
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "workload/network.hpp"

namespace tilewright::report {

/// One row per memory and the compute units: instances, mesh, words, bandwidths.
std::string architecture_text(const Architecture& architecture);

/// One row per component and action: the energy (or area) and its source.
std::string energies_text(const Architecture& architecture);

/// One row per layer: operator, repeats, multiply-accumulates, einsum; then unmapped operators.
std::string network_text(const Network& network);

/// "Not mapped (12 operators)": a table by operator and reason; "" if all are mapped.
std::string unmapped_text(const std::vector<UnmappedOperator>& unmapped);

/// "n=1 k=64 p=56"
std::string extents_text(const Einsum& einsum);

}  // namespace tilewright::report
