// What a compound component (Accelergy's) is made of: the parts that its actions use, as an estimator knows them, each
// with its own attributes, its copies, and how often an action of the whole does something with it.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "arch/estimation/parts.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

/// A part, an action or a class whose energy or area no table here has.
struct Uncounted {
    yaml::Node place;
    std::string what;  ///< "part 'fifo' of class 'FIFO'"
};

struct CompoundParts {
    std::vector<Part> parts;  ///< empty: no compound, or none of its parts is of a class with a table
    std::vector<Uncounted> uncounted;
    std::vector<yaml::Node> unused_actions;  ///< names of actions of the class that nothing here takes an energy of
};

/// Its subclass, where it has one.
std::string class_name(const Component& component);

/// Of a memory or a compute unit. Throws InputError: cyclic_inheritance, wrong types.
CompoundParts parts_of(const Component& component, const MachineFile& machine);

}  // namespace tilewright::timeloop
