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

/// Index of the tensor named by `node`, or unknown_tensor.
int tensor_named(const yaml::Node& node, const Einsum& einsum);

/// Names in a machine's sections: the einsum's names; absent ones of Weights, Inputs and Outputs, or of R to G, by role
/// (workload/layer_roles.hpp). Refers to the einsum.
class SparseNames {
   public:
    explicit SparseNames(const Einsum& einsum) : einsum_(einsum), roles_(layer_roles(einsum)) {}

    const Einsum& einsum() const { return einsum_; }
    /// Throws InputError(unknown_tensor).
    int tensor(const yaml::Node& node);
    /// By role beside a tensor with a layer name; several may share one role. Throws InputError(unknown_name).
    std::vector<int> dimensions(const yaml::Node& node);
    /// A remark for every file with a name found by role.
    const VoidNamesByFile& found() const { return found_; }

   private:
    void remark(const yaml::Node& node);

    const Einsum& einsum_;
    LayerRoles roles_;
    bool of_layers_ = false;  ///< the last tensor had a layer name
    VoidNamesByFile found_;
};

/// `representation_format` of one memory, after its metadata attributes. `loops`: maximum loops per dimension of a
/// mapping. A rank covers at least one loop.
void read_formats(const yaml::Node& section, SparseNames& names, int loops, const Memory& memory,
                  sparse::MemoryDesign& built);

/// `action_optimization` of one memory.
void read_actions(const yaml::Node& section, SparseNames& names, sparse::MemoryDesign& built);

/// `compute_optimization`.
void read_compute_actions(const yaml::Node& section, sparse::Design& design);

/// The word in `node`, with underscores: values also come with hyphens (fixed-structured).
std::string word_of(const yaml::Node& node);

}  // namespace tilewright::timeloop
