// One component of a machine. Internal to files/.
#pragma once

#include "accelforge/files/machine.hpp"

namespace tilewright::accelforge {

/// Context of a component: names for its expressions, and available figures.
struct ComponentContext {
    const EinsumSpec& einsum;
    const Names& names;  ///< variables, components before it
    const Names& kept;   ///< the same, with earlier memories standing for their possible tensors
    const ComponentFigures* figures = nullptr;
    Notes* notes = nullptr;
    const yaml::Node* attributes = nullptr;  ///< of the models of all components
};

/// Requires a node tagged !Memory, !Toll, !Compute or !Container. Throws InputError.
Component read_component(const yaml::Node& node, const ComponentContext& context);

}  // namespace tilewright::accelforge
