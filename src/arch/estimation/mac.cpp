#include "arch/estimation/mac.hpp"

#include "arch/estimation/memories.hpp"
#include "arch/estimation/tables.hpp"
#include "arch/estimation/technology.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright {
namespace {

/// Energy and area of one operation by width.
struct Operation {
    std::map<double, double> energy_pj;
    std::map<double, double> area_um2;
};

std::map<std::string, Operation> load_operations() {
    const tables::Table table = tables::load("arithmetic.csv");
    std::map<std::string, Operation> operations;
    for (int row = 0; row < table.row_count(); ++row) {
        Operation& operation = operations[table.text(row, "operation")];
        const double bits = table.number(row, "bits");
        operation.energy_pj[bits] = table.number(row, "energy_pj");
        operation.area_um2[bits] = table.number(row, "area_um2");
    }
    return operations;
}

const Operation& operation(const std::string& name) {
    static const std::map<std::string, Operation> kLoaded = load_operations();
    return kLoaded.at(name);
}

/// Adds one operation to a unit, at the table's technology.
void add_part(MacEstimate& mac, const std::string& prefix, const std::string& verb, double bits) {
    const Operation& part = operation(prefix + verb);
    const Interpolated energy = log_log(part.energy_pj, bits);
    mac.energy_pj += energy.value;
    mac.area_um2 += log_log(part.area_um2, bits).value;
    mac.fit = worse(mac.fit, energy.fit);
    mac.source += short_number(bits) + "-bit " + (prefix == "fp_" ? "floating " : "") + verb + " " +
                  short_number(energy.value) + " pJ";
    if (energy.fit == Fit::extrapolated)
        mac.notes.push_back(short_number(bits) + "-bit " + verb + " is outside the tabulated widths: extrapolated");
}

void scale_to(MacEstimate& mac, double technology_nm) {
    const Interpolated energy = energy_scale(kArithmeticTechnologyNm, technology_nm);
    mac.energy_pj *= energy.value;
    mac.area_um2 *= area_scale(kArithmeticTechnologyNm, technology_nm).value;
    mac.fit = worse(mac.fit, energy.fit);
    if (technology_nm == kArithmeticTechnologyNm) return;
    mac.source += ", x" + short_number(energy.value) + " to " + technology_text(technology_nm);
    if (energy.fit == Fit::extrapolated)
        mac.notes.push_back(technology_text(technology_nm) + " is outside the scaling table: extrapolated");
}

double leak_mw(const MacShape& shape) {
    const Cell& multiplier = cell("multiplier");
    const Cell& adder = cell("adder");
    const double width = shape.multiplier_bits / multiplier.bits;
    return (multiplier.leak_mw * width * width + adder.leak_mw * shape.adder_bits / adder.bits) *
           energy_scale(kCellsTechnologyNm, shape.technology_nm).value;
}

MacEstimate estimate_one(const std::string& verb, double bits, bool floating_point, double technology_nm) {
    MacEstimate unit;
    unit.source = "Horowitz 45 nm: ";
    add_part(unit, floating_point ? "fp_" : "int_", verb, bits);
    scale_to(unit, technology_nm);
    return unit;
}

}  // namespace

bool is_floating_point(const std::string& kind) {
    return kind.starts_with("fp") || kind.find("_fp") != std::string::npos || kind.find("float") != std::string::npos ||
           kind.starts_with("bf16");
}

MacEstimate estimate_mac(const MacShape& shape) {
    const std::string prefix = shape.floating_point ? "fp_" : "int_";
    MacEstimate mac;
    mac.source = "Horowitz 45 nm: ";
    add_part(mac, prefix, "multiply", shape.multiplier_bits);
    mac.source += " + ";
    add_part(mac, prefix, "add", shape.adder_bits);
    scale_to(mac, shape.technology_nm);
    mac.leak_mw = leak_mw(shape);
    return mac;
}

MacEstimate estimate_adder(double bits, bool floating_point, double technology_nm) {
    MacEstimate adder = estimate_one("add", bits, floating_point, technology_nm);
    adder.leak_mw =
        cell("adder").leak_mw * bits / cell("adder").bits * energy_scale(kCellsTechnologyNm, technology_nm).value;
    return adder;
}

MacEstimate estimate_multiplier(double bits, bool floating_point, double technology_nm) {
    MacEstimate multiplier = estimate_one("multiply", bits, floating_point, technology_nm);
    const double width = bits / cell("multiplier").bits;
    multiplier.leak_mw =
        cell("multiplier").leak_mw * width * width * energy_scale(kCellsTechnologyNm, technology_nm).value;
    return multiplier;
}

}  // namespace tilewright
