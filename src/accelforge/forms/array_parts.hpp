// Circuits of arrays computing in memory by the class that AccelForge's machines give: drivers and cells by the table
// of array circuits, converters by their survey, capacitors, NeuRRAM's neurons.
#pragma once

#include <optional>
#include <string>

#include "accelforge/files/machine.hpp"

namespace tilewright::accelforge {

/// Energies of a component's actions, leakage, area; before the component's own scales.
struct ArrayPart {
    ComponentFigures figures;
    std::string source;
};

/// Empty: another class, or arguments outside the tables (a cell description without circuits, a converter below 4
/// bits).
std::optional<ArrayPart> array_part(const Component& component);

}  // namespace tilewright::accelforge
