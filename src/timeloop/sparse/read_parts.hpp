// Parts of read_sparse(). Internal to it.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "sparse/design.hpp"
#include "timeloop/components/attributes.hpp"
#include "timeloop/machine/constraint_names.hpp"
#include "timeloop/machine/machine.hpp"
#include "workload/einsum.hpp"
#include "workload/layer_roles.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Index of the tensor that `node` names; unknown_tensor otherwise.
int tensor_named(const yaml::Node& node, const Einsum& einsum);

/// What a machine's sections name: by the einsum's names, and what it lacks of Weights, Inputs and Outputs, or of R to
/// G, by role (workload/layer_roles.hpp). Refers to the einsum.
class SparseNames {
   public:
    explicit SparseNames(const Einsum& einsum) : einsum_(einsum), roles_(layer_roles(einsum)) {}

    const Einsum& einsum() const { return einsum_; }
    /// Throws InputError(unknown_tensor).
    int tensor(const yaml::Node& node);
    /// By role beside a tensor with a name of layers; several may play one part. Throws InputError(unknown_name).
    std::vector<int> dimensions(const yaml::Node& node);
    /// A remark for every file in which a name was found by role.
    const VoidNamesByFile& found() const { return found_; }

   private:
    void remark(const yaml::Node& node);

    const Einsum& einsum_;
    LayerRoles roles_;
    bool of_layers_ = false;  ///< the last tensor had a name of layers
    VoidNamesByFile found_;
};

/// `representation_format` of one memory, whose metadata attributes are read already.
/// `loops`: the most that a mapping has of one dimension. A rank is of a loop at least.
void read_formats(const yaml::Node& section, SparseNames& names, int loops, const Memory& memory,
                  sparse::MemoryDesign& built);

/// `action_optimization` of one memory.
void read_actions(const yaml::Node& section, SparseNames& names, sparse::MemoryDesign& built);

/// `compute_optimization`.
void read_compute_actions(const yaml::Node& section, sparse::Design& design);

/// The word that `node` holds, with underscores: values are written with hyphens, too (fixed-structured).
std::string word_of(const yaml::Node& node);

}  // namespace tilewright::timeloop
