// Circuits of arrays computing in memory by class and attributes, as AccelForge's and CiMLoop's machines give them:
// drivers and cells by the table of array circuits, converters by their survey, capacitors, NeuRRAM's neurons.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::cim {

/// Attributes by name; empty: not given.
struct ComponentAttributes {
    std::function<std::optional<double>(const char* name)> number;
    std::function<std::optional<std::string>(const char* name)> text;
    double technology_nm = 0.0;  ///< 0: unknown
    double cycle_seconds = 0.0;  ///< 0: unknown
};

/// Of one action; leakage and area of all copies that the attributes describe.
struct ComponentCost {
    double read_pj = 0.0;
    double write_pj = 0.0;
    double area_um2 = 0.0;
    double leak_w = 0.0;
    double reads_per_second = std::numeric_limits<double>::infinity();
    std::string source;
};

/// AccelForge's names (Capacitor, ADC, ArrayRowDrivers, ArrayColumnDrivers, MemoryCell) and CiMLoop's (capacitor,
/// array_adc, array_row_drivers, array_col_drivers, memory_cell); parts of NeuRRAM's neuron by either. Empty: another
/// class, or attributes outside the tables (a cell description without circuits, a converter below 4 bits).
std::optional<ComponentCost> component_cost(std::string_view name, const ComponentAttributes& attributes);
/// Whether component_cost() knows the class.
bool is_array_component(std::string_view name);

}  // namespace tilewright::cim
