// One evaluation for people: summary, bound of latency, traffic per memory and tensor, energy by component.
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "model/evaluation.hpp"
#include "sparse/costs.hpp"
#include "workload/einsum.hpp"

namespace tilewright::report {

/// Energy, latency, EDP, power, utilisation and area, one per line, and `bound`, the sentence on latency.
std::string summary_text(const Architecture& architecture, const Evaluation& evaluation, const std::string& bound);

/// One row per memory and kept tensor: tile, instances, reads, fills, updates, sharing, energy and its share.
std::string traffic_text(const Einsum& einsum, const Evaluation& evaluation);

/// One bar per memory, passage, link and the compute units, of its share of the energy.
std::string energy_breakdown_text(const Einsum& einsum, const Architecture& architecture, const Evaluation& evaluation,
                                  bool on_vector_unit = false);

/// One row per memory: used and usable words, bytes of all instances, cycles it would need alone, its bound.
std::string memory_text(const Einsum& einsum, const Architecture& architecture, const Evaluation& evaluation);

// Accesses and computes by outcome on zeros, as text.

/// A line about computes, and tables: densities, accesses by memory and tensor, and room for compressed formats.
std::string sparse_text(const Einsum& einsum, const sparse::Costs& costs);

}  // namespace tilewright::report
