// Reads what Timeloop's files say about sparse tensors: `sparse_optimizations` (a list of targets, or sections inside
// the components), the metadata attributes of memories, the energies of gated and skipped accesses in an ERT, and the
// densities of a problem.
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

/// Whether some section asks for a format, or for gating or skipping: what `read_sparse` reads makes a difference then.
bool is_sparse(const yaml::Node& root);

/// `root` as loaded, of the same machine and layer as the others. What the densities do not name is dense. Throws
/// InputError at its place: unknown_level for a target that is no memory or compute unit, unknown_tensor,
/// unknown_name for formats and dimensions, bad_value for what contradicts itself (a density outside 0 to 1, a
/// compressed rank around an uncompressed one, words wider than the metadata's memory), unsupported for overbooking
/// and tiles that are parted at run time.
/// Names of layers that the einsum lacks are found by role; `found`: where to add remarks on them.
sparse::Design read_sparse(const yaml::Node& root, const Einsum& einsum, const Architecture& architecture,
                           VoidNamesByFile* found = nullptr);

/// What the same function reads of memories and compute units alone: metadata, and the energies of what is gated and
/// skipped. No tensors, formats and optimisations.
sparse::Design read_sparse_hardware(const yaml::Node& root, const Architecture& architecture);

/// By tensor, as `problem` of `root` has them. Files named by `measured` densities are looked up beside the file that
/// names them. Throws as read_sparse().
std::vector<sparse::Density> read_densities(const yaml::Node& root, const Einsum& einsum);

/// Where they are written, "problem.yaml:16"; "" for what is not.
std::vector<std::string> density_places(const yaml::Node& root, const Einsum& einsum);

/// The permutations of the directives in `mapping` of `root`, by memory; {} when it has none.
account::LoopOrders read_loop_orders(const yaml::Node& root, const Einsum& einsum, const Architecture& architecture);

}  // namespace tilewright::timeloop
