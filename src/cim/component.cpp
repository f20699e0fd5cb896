#include "cim/component.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "cim/circuits.hpp"

namespace tilewright::cim {
namespace {

constexpr double kPicojoulesInJoule = 1e12;   // in a J
constexpr double kNanosecondsInSecond = 1e9;  // in a s
constexpr double kOfNanowatt = 1e-9;          // in a nW

enum class CircuitKind {
    capacitor,
    converter,
    row_drivers,
    column_drivers,
    cell,
    adder,
    stepped_converter,
    integrator,
    sample
};

struct Named {
    std::string_view accelforge;
    std::string_view cimloop;
    CircuitKind kind;
};
constexpr std::array kNamed{
    Named{"Capacitor", "capacitor", CircuitKind::capacitor},
    Named{"ADC", "array_adc", CircuitKind::converter},
    Named{"ArrayRowDrivers", "array_row_drivers", CircuitKind::row_drivers},
    Named{"ArrayColumnDrivers", "array_col_drivers", CircuitKind::column_drivers},
    Named{"MemoryCell", "memory_cell", CircuitKind::cell},
    Named{"NeurramShiftAdd", "wan_shift_add", CircuitKind::adder},
    Named{"NeurramVariablePrecisionADC", "wan_variable_precision_adc", CircuitKind::stepped_converter},
    Named{"NeurramAnalogIntegrator", "wan_analog_integrator", CircuitKind::integrator},
    Named{"NeurramAnalogSample", "wan_analog_sample", CircuitKind::sample}};

std::optional<CircuitKind> kind_named(std::string_view name) {
    const auto found =
        std::ranges::find_if(kNamed, [&](const Named& one) { return one.accelforge == name || one.cimloop == name; });
    return found == kNamed.end() ? std::nullopt : std::optional(found->kind);
}

std::optional<ComponentCost> capacitor(const ComponentAttributes& attributes) {
    const std::optional<double> farad = attributes.number("capacitance");
    const std::optional<double> volt = attributes.number("voltage");
    if (!farad || !volt) return std::nullopt;
    ComponentCost cost;
    cost.read_pj = *farad * *volt * *volt * kPicojoulesInJoule;
    cost.source = "capacitance * voltage^2";
    return cost;
}

std::optional<ComponentCost> converter(const ComponentAttributes& attributes) {
    std::optional<double> bits = attributes.number("n_bits");
    if (!bits) bits = attributes.number("resolution");
    const double columns = attributes.number("cols_active_at_once").value_or(1.0);
    const double by_columns = attributes.cycle_seconds > 0.0 ? columns / attributes.cycle_seconds : 0.0;
    const double rate = attributes.number("throughput").value_or(by_columns);
    if (!bits || *bits < 4.0 || !(attributes.technology_nm > 0.0) || !(rate > 0.0)) return std::nullopt;
    const ConverterCost cost = surveyed_converter(*bits, attributes.technology_nm, rate,
                                                  std::max(1.0, attributes.number("n_adcs").value_or(1.0)));
    ComponentCost made;
    made.read_pj = cost.conversion_pj;
    made.area_um2 = cost.area_um2;
    made.leak_w = cost.leak_w;
    made.source = "survey of converters (arXiv 2404.06553)";
    return made;
}

/// Circuits around the cells that 'cell_config' names, at the machine's voltage: energies go with its square, leakage
/// with it.
struct Around {
    ArrayCircuit circuit;
    double input = 0.5;
    double cell = 0.5;
    double volts = 1.0;   ///< the voltage over the table's
    double pulses = 1.0;  ///< of the largest input, where time stands for its value
};

// "a/sram_example.cell.yaml" and "sram_example.yaml" are sram_example.
std::string cell_of(const std::string& config) {
    const std::string name = std::filesystem::path(config).filename().string();
    const std::string cell = name.substr(0, name.find('.'));
    return cell == "rram_wan_nature_2022" ? "rram_neurram_nature_2022" : cell;
}

std::optional<Around> circuits_of(const ComponentAttributes& attributes) {
    const std::optional<std::string> config = attributes.text("cell_config");
    const std::optional<double> rows = attributes.number("rows");
    const std::optional<double> columns = attributes.number("cols");
    const double pulse_ns = attributes.number("read_pulse_width").value_or(0.0) * kNanosecondsInSecond;
    if (!config || !rows || !columns || *rows < 1.0 || *columns < 1.0) return std::nullopt;
    const std::string cell = cell_of(*config);
    if (std::ranges::count(cell_descriptions(), cell) == 0) return std::nullopt;
    Around around;
    around.circuit = array_circuit(cell, std::llround(*rows), std::llround(*columns), pulse_ns > 0.0 ? pulse_ns : 1.0);
    around.input = attributes.number("average_input_value").value_or(around.input);
    around.cell = attributes.number("average_cell_value").value_or(around.cell);
    around.volts = attributes.number("voltage").value_or(around.circuit.supply_v) / around.circuit.supply_v;
    around.pulses = std::exp2(std::clamp(attributes.number("temporal_dac_bits").value_or(1.0), 1.0, 32.0)) - 1.0;
    return around;
}

// The energy without an input is paid once; each pulse adds its own.
ComponentCost of_part(const Around& around, const CircuitPart& part, double pulses) {
    const double idle = part.read.pj(0.0, around.cell);
    ComponentCost cost;
    cost.read_pj = (idle + pulses * (part.read.pj(around.input, around.cell) - idle)) * around.volts * around.volts;
    cost.area_um2 = part.area_um2;
    cost.leak_w = part.leak_nw * around.volts * kOfNanowatt;
    cost.source = "table of array circuits (NeuroSim V1.3)";
    return cost;
}

std::optional<ComponentCost> drivers_or_cell(CircuitKind kind, const ComponentAttributes& attributes) {
    const std::optional<Around> around = circuits_of(attributes);
    if (!around) return std::nullopt;
    const ArrayCircuit& circuit = around->circuit;
    if (kind == CircuitKind::column_drivers) return of_part(*around, circuit.columns, 1.0);
    if (kind == CircuitKind::cell) {
        ComponentCost cost = of_part(*around, circuit.cell, around->pulses);
        cost.write_pj = circuit.write_0_pj * (1.0 - around->cell) + circuit.write_1_pj * around->cell;
        if (attributes.cycle_seconds > 0.0) cost.reads_per_second = 1.0 / attributes.cycle_seconds;
        return cost;
    }
    const bool spikes = attributes.number("temporal_spiking").value_or(0.0) != 0.0;
    ComponentCost cost = of_part(*around, circuit.rows, spikes ? around->pulses : 1.0);
    cost.write_pj = circuit.weight_row_write_pj;
    if (attributes.number("sequential").value_or(0.0) == 0.0) return cost;
    cost.read_pj = circuit.weight_row_write_pj;
    cost.leak_w = circuit.weight_row_leak_nw * around->volts * kOfNanowatt;
    return cost;
}

// W. Wan et al., Nature 608, 2022, as AccelForge's library of published components has them; 130 nm, 1.8 V.
ComponentCost neuron(CircuitKind kind, const ComponentAttributes& attributes) {
    struct Step {
        double pj, um2, nw;
    };
    const Step step = kind == CircuitKind::adder               ? Step{0.1, 170.0, 5.0}
                      : kind == CircuitKind::stepped_converter ? Step{0.3, 400.0, 10.0}
                      : kind == CircuitKind::integrator        ? Step{0.25, 350.0, 5.0}
                                                               : Step{1.2, 45.0, 10.0};
    ComponentCost cost;
    cost.read_pj = step.pj * attributes.number("n_steps").value_or(1.0);
    cost.area_um2 = step.um2 * (kind == CircuitKind::sample ? attributes.number("width").value_or(8.0) : 1.0);
    cost.leak_w = step.nw * kOfNanowatt;
    cost.source = "NeuRRAM's published neuron";
    return cost;
}

}  // namespace

bool is_array_component(std::string_view name) { return kind_named(name).has_value(); }

std::optional<ComponentCost> component_cost(std::string_view name, const ComponentAttributes& attributes) {
    const std::optional<CircuitKind> kind = kind_named(name);
    if (!kind) return std::nullopt;
    if (*kind == CircuitKind::capacitor) return capacitor(attributes);
    if (*kind >= CircuitKind::adder) return neuron(*kind, attributes);
    return *kind == CircuitKind::converter ? converter(attributes) : drivers_or_cell(*kind, attributes);
}

namespace {

// Figure of merit in dB: falls with the rate of one converter, and is limited by the bits.
double merit_db(double bits, double rate_per_second) {
    const double by_rate = 213.7806687348118 - 2.8719030399529957 * std::log(rate_per_second);
    const double by_bits = 128.3068287398817 + 3.2205115109775725 * std::min(std::ceil(bits), 20.0);
    return std::min(by_rate, by_bits);
}

double signal_to_noise_db(double bits) { return 20 * bits * std::log10(2.0) + 10 * std::log10(1.5); }

}  // namespace

ConverterCost surveyed_converter(double bits, double technology_nm, double conversions_per_second, double count) {
    if (!(bits >= 4.0 && technology_nm > 0.0 && conversions_per_second > 0.0 && count > 0.0))
        throw std::invalid_argument("converters are surveyed from 4 bits, at a positive rate");
    const double rate = conversions_per_second / count;
    const double exponent = (signal_to_noise_db(bits) - merit_db(bits, rate)) / 10;
    const double pj = 0.5 * std::pow(10.0, exponent) *
                      std::exp(26.0496215686518 + 1.8800369206815004 * std::log(technology_nm) -
                               2.8291256050594527 * std::log(bits) - 1.4702022133784405);
    const double um2 = std::exp(0.9932794744745022 * std::log(technology_nm) + 0.18071538424508238 * std::log(rate) +
                                0.29912426192653485 * std::log(pj) + 1.3461916439910742);
    return {0.8 * pj, 0.2 * pj * 1e-12 * conversions_per_second, um2 * count};
}

}  // namespace tilewright::cim
