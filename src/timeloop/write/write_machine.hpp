// Writes machines with their constraints as Timeloop's files.
//
// Two forms: the hierarchy of version 0.4, which Tilewright's own machines have, and the tree of version 0.3. What was
// written is read back and compared before it is handed out, so a file says either the same machine or nothing.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

enum class MachineForm { hierarchy, tree };

struct WrittenMachine {
    std::string text;
    std::vector<std::string> notes;  ///< sections of the files that are no part of a machine
};

/// `architecture` as read from `root`, whose constraints are written, too; energies and areas without a source are left
/// to an estimator. `sparse`: the same with what the files say about zeros, which is then written as they say it; null:
/// they say nothing. Throws InputError(unsupported), which names what the form cannot say.
WrittenMachine write_machine(const yaml::Node& root, const Architecture& architecture, MachineForm form,
                             const yaml::Node* sparse = nullptr);

/// What differs first between two machines, in words ("'buffer': capacity_words"), or "" when all but the sources of
/// numbers is equal.
std::string first_difference(const Architecture& a, const Architecture& b);

}  // namespace tilewright::timeloop
