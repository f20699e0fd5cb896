#include "accelforge/forms/array_parts.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cim/circuits.hpp"
#include "cim/converter.hpp"

namespace tilewright::accelforge {
namespace {

constexpr double kOfPicojoule = 1e-12;         // in a pJ
constexpr double kOfSquareMicrometre = 1e-12;  // in a um^2
constexpr double kOfNanowatt = 1e-9;           // in a nW
constexpr double kNanosecondsInSecond = 1e9;   // in a s
constexpr double kNanometresInMetre = 1e9;     // in a m
constexpr double kAnyRate = std::numeric_limits<double>::infinity();

std::optional<double> attribute(const Component& component, const char* name) {
    const auto found = component.attributes.find(name);
    return found == component.attributes.end() ? std::nullopt : std::optional(found->second);
}

ArrayPart part_of(double pj, double um2, double nw, std::string source, double per_second = kAnyRate) {
    ArrayPart part{{}, std::move(source)};
    part.figures.actions["read"] = {pj * kOfPicojoule, per_second};
    part.figures.area_m2 = um2 * kOfSquareMicrometre;
    part.figures.leak_w = nw * kOfNanowatt;
    return part;
}

std::optional<ArrayPart> capacitor(const Component& component) {
    const std::optional<double> farad = attribute(component, "capacitance");
    const std::optional<double> volt = attribute(component, "voltage");
    if (!farad || !volt) return std::nullopt;
    return part_of(*farad * *volt * *volt / kOfPicojoule, 0.0, 0.0, "capacitance * voltage^2");
}

std::optional<ArrayPart> converter(const Component& component) {
    const auto first_of = [&](std::initializer_list<const char*> names) -> std::optional<double> {
        for (const char* name : names)
            if (const std::optional<double> value = attribute(component, name)) return value;
        return std::nullopt;
    };
    const std::optional<double> bits = first_of({"n_bits", "resolution"});
    const std::optional<double> node = attribute(component, "tech_node");
    const double cycle = attribute(component, "cycle_period").value_or(0.0);
    const double by_columns = cycle > 0.0 ? attribute(component, "cols_active_at_once").value_or(1.0) / cycle : 0.0;
    const double rate = attribute(component, "throughput").value_or(by_columns);
    if (!bits || *bits < 4.0 || !node || !(rate > 0.0)) return std::nullopt;
    const cim::ConverterCost cost = cim::surveyed_converter(
        *bits, *node * kNanometresInMetre, rate, std::max(1.0, attribute(component, "n_adcs").value_or(1.0)));
    return part_of(cost.conversion_pj, cost.area_um2, cost.leak_w / kOfNanowatt,
                   "survey of converters (arXiv 2404.06553)");
}

// W. Wan et al., Nature 608, 2022, as AccelForge's library of published components has them; 130 nm, 1.8 V.
std::optional<ArrayPart> neuron(const Component& component) {
    static const std::string kSource = "NeuRRAM's published neuron";
    if (component.component_class == "NeurramShiftAdd") return part_of(0.1, 170.0, 5.0, kSource);
    if (component.component_class == "NeurramVariablePrecisionADC") return part_of(0.3, 400.0, 10.0, kSource);
    if (component.component_class == "NeurramAnalogIntegrator") return part_of(0.25, 350.0, 5.0, kSource);
    if (component.component_class == "NeurramAnalogSample")
        return part_of(1.2, 45.0 * attribute(component, "width").value_or(8.0), 10.0, kSource);
    return std::nullopt;
}

/// Circuits around the cells that 'cell_config' names, at the machine's voltage: energies go with its square, leakage
/// with it.
struct Around {
    cim::ArrayCircuit circuit;
    double input = 0.5;
    double cell = 0.5;
    double volts = 1.0;   ///< the voltage over the table's
    double pulses = 1.0;  ///< of the largest input, where time stands for its value
};

std::optional<Around> circuits_of(const Component& component) {
    const auto config = component.texts.find("cell_config");
    const std::optional<double> rows = attribute(component, "rows");
    const std::optional<double> columns = attribute(component, "cols");
    const double pulse_ns = attribute(component, "read_pulse_width").value_or(0.0) * kNanosecondsInSecond;
    if (config == component.texts.end() || !rows || !columns || *rows < 1.0 || *columns < 1.0) return std::nullopt;
    const std::string cell = std::filesystem::path(config->second).stem().string();
    if (std::ranges::count(cim::cell_descriptions(), cell) == 0) return std::nullopt;
    Around around;
    around.circuit =
        cim::array_circuit(cell, std::llround(*rows), std::llround(*columns), pulse_ns > 0.0 ? pulse_ns : 1.0);
    around.input = attribute(component, "average_input_value").value_or(around.input);
    around.cell = attribute(component, "average_cell_value").value_or(around.cell);
    around.volts = attribute(component, "voltage").value_or(around.circuit.supply_v) / around.circuit.supply_v;
    around.pulses = std::exp2(std::clamp(attribute(component, "temporal_dac_bits").value_or(1.0), 1.0, 32.0)) - 1.0;
    return around;
}

std::optional<ArrayPart> drivers_or_cell(const Component& component) {
    const std::optional<Around> around = circuits_of(component);
    if (!around) return std::nullopt;
    const std::string source = "table of array circuits (NeuroSim V1.3)";
    // What no input costs is paid once, each pulse what is above it.
    const auto of = [&](const cim::CircuitPart& part, double pulses = 1.0, double per_second = kAnyRate) {
        const double idle = part.read.pj(0.0, around->cell);
        const double pj = idle + pulses * (part.read.pj(around->input, around->cell) - idle);
        return part_of(pj * around->volts * around->volts, part.area_um2, part.leak_nw * around->volts, source,
                       per_second);
    };
    const cim::ArrayCircuit& circuit = around->circuit;
    if (component.component_class == "ArrayColumnDrivers") return of(circuit.columns);
    if (component.component_class == "MemoryCell") {
        const double cycle = attribute(component, "cycle_period").value_or(0.0);
        ArrayPart part = of(circuit.cell, around->pulses, cycle > 0.0 ? 1.0 / cycle : kAnyRate);
        const double write = circuit.write_0_pj * (1.0 - around->cell) + circuit.write_1_pj * around->cell;
        part.figures.actions["write"] = {write * kOfPicojoule, kAnyRate};
        return part;
    }
    const bool spikes = attribute(component, "temporal_spiking").value_or(0.0) != 0.0;
    if (attribute(component, "sequential").value_or(0.0) == 0.0) return of(circuit.rows, spikes ? around->pulses : 1.0);
    return part_of(circuit.weight_row_write_pj, circuit.rows.area_um2, circuit.weight_row_leak_nw * around->volts,
                   source);
}

}  // namespace

std::optional<ArrayPart> array_part(const Component& component) {
    const std::string& name = component.component_class;
    if (name == "Capacitor") return capacitor(component);
    if (name == "ADC") return converter(component);
    if (name.starts_with("Neurram")) return neuron(component);
    if (name == "ArrayRowDrivers" || name == "ArrayColumnDrivers" || name == "MemoryCell")
        return drivers_or_cell(component);
    return std::nullopt;
}

}  // namespace tilewright::accelforge
