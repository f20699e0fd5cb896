// Reads Timeloop's sparse sections: `sparse_optimizations` (a list of targets, or sections inside components), metadata
// attributes of memories, ERT energies of gated and skipped accesses, and a problem's densities.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "sparse/design.hpp"
#include "timeloop/machine/constraint_names.hpp"
#include "timeloop/sparse/full_nest.hpp"
#include "workload/einsum.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Whether any section requests a format, gating or skipping: only then does `read_sparse` matter.
bool is_sparse(const yaml::Node& root);

/// `root` as loaded, of the same machine and layer as the others. Tensors without a density are dense. Throws
/// InputError at its place: unknown_level for a target other than a memory or compute unit, unknown_tensor,
/// unknown_name for formats and dimensions, bad_value for contradictions (a density outside 0 to 1, a compressed rank
/// around an uncompressed one, words wider than the metadata memory), unsupported for overbooking and run-time tiling.
/// Absent layer names are found by role; `found` collects remarks on them.
sparse::Design read_sparse(const yaml::Node& root, const Einsum& einsum, const Architecture& architecture,
                           VoidNamesByFile* found = nullptr);

/// The same for memories and compute units alone: metadata, and energies of gated and skipped actions. No tensors,
/// formats and optimisations.
sparse::Design read_sparse_hardware(const yaml::Node& root, const Architecture& architecture);

/// By tensor, from `problem` of `root`. Files of `measured` densities are relative to the naming file. Throws as
/// read_sparse().
std::vector<sparse::Density> read_densities(const yaml::Node& root, const Einsum& einsum);

/// Their places, "problem.yaml:16"; "" if absent.
std::vector<std::string> density_places(const yaml::Node& root, const Einsum& einsum);

/// The permutations of the directives in `mapping` of `root`, by memory; {} without one.
account::LoopOrders read_loop_orders(const yaml::Node& root, const Einsum& einsum, const Architecture& architecture);

}  // namespace tilewright::timeloop
