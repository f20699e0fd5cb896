// Parts of read_sparse(). Internal to it.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "sparse/design.hpp"
#include "timeloop/components/attributes.hpp"
#include "timeloop/machine/machine.hpp"
#include "workload/einsum.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// `representation_format` of one memory, whose metadata attributes are read already.
/// `loops`: the most that a mapping has of one dimension. A rank is of a loop at least.
void read_formats(const yaml::Node& section, const Einsum& einsum, int loops, const Memory& memory,
                  sparse::MemoryDesign& built);

/// `action_optimization` of one memory.
void read_actions(const yaml::Node& section, const Einsum& einsum, sparse::MemoryDesign& built);

/// `compute_optimization`.
void read_compute_actions(const yaml::Node& section, sparse::Design& design);

/// The word that `node` holds, with underscores: values are written with hyphens, too (fixed-structured).
std::string word_of(const yaml::Node& node);

/// Index of the tensor that `node` names; unknown_tensor otherwise.
int tensor_named(const yaml::Node& node, const Einsum& einsum);

}  // namespace tilewright::timeloop
