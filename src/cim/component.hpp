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

// Analog-to-digital converters by a published survey: T. Andrulis, R. Chen, H.-S. Lee, J. Emer and V. Sze, "Modeling
// analog-digital-converter energy and area for compute-in-memory accelerator design", arXiv 2404.06553, a fit to
// B. Murmann's survey of converters.

struct ConverterCost {
    double conversion_pj = 0.0;  ///< paid for each conversion: four fifths of all
    double leak_w = 0.0;         ///< of all converters, always drawn at this rate
    double area_um2 = 0.0;       ///< of all converters
};

/// `count` converters of `bits` at `technology_nm` that together do `conversions_per_second`. Requires bits >= 4 (the
/// fit begins there), positive numbers. Single machines differ from the fit by a factor of three (docs/estimation.md).
ConverterCost surveyed_converter(double bits, double technology_nm, double conversions_per_second, double count = 1.0);

}  // namespace tilewright::cim
