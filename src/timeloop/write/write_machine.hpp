// Writes machines with their constraints as Timeloop's files.
//
// Two forms: the hierarchy of version 0.4, as of Tilewright's own machines, and the tree of version 0.3. Every written
// file is read back and compared first: it means the same machine, or is not handed out.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "sparse/density.hpp"
#include "workload/einsum.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

enum class MachineForm { hierarchy, tree };

struct WrittenMachine {
    std::string text;
    std::vector<std::string> notes;  ///< sections of the files outside the machine
};

/// `architecture` as read from `root`, constraints included; energies and areas without a source are left to an
/// estimator. `sparse`: the same with the files' sparse sections, written as given; null: none. Throws
/// InputError(unsupported), naming the inexpressible property.
WrittenMachine write_machine(const yaml::Node& root, const Architecture& architecture, MachineForm form,
                             const yaml::Node* sparse = nullptr);

/// First difference between two machines, in words ("'buffer': capacity_words"), or "" if equal up to the sources of
/// numbers.
std::string first_difference(const Architecture& a, const Architecture& b);

// Writes einsums as Timeloop problems.

/// A problem file for Timeloop; read_problem reads back an equal einsum.
std::string write_problem(const Einsum& einsum);

/// With its tensors' known sparsity. N:M and measured patterns are read by Tilewright only.
std::string write_problem(const Einsum& einsum, const std::vector<sparse::Density>& densities);

}  // namespace tilewright::timeloop
