// Parts of a compound component (Accelergy's): those used by its actions, as known to an estimator, each with its
// attributes, copies, and action counts per action of the whole.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "arch/estimation/parts.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

/// A part, action or class without energy or area in any table here.
struct Uncounted {
    yaml::Node place;
    std::string what;  ///< "part 'fifo' of class 'FIFO'"
};

struct CompoundParts {
    std::vector<Part> parts;  ///< empty: no compound, or no part with a tabulated class
    std::vector<Uncounted> uncounted;
    std::vector<yaml::Node> unused_actions;  ///< actions of the class without an energy here
};

/// Its subclass, where it has one.
std::string class_name(const Component& component);

/// Of a memory or a compute unit. Throws InputError: cyclic_inheritance, wrong types.
CompoundParts parts_of(const Component& component, const MachineFile& machine);

}  // namespace tilewright::timeloop
