#include "arch/estimation/wire.hpp"

#include "arch/estimation/tables.hpp"
#include "arch/estimation/technology.hpp"

namespace tilewright {
namespace {

std::map<double, double> load_wires() {
    const tables::Table table = tables::load("wire.csv");
    std::map<double, double> wires;
    for (int row = 0; row < table.row_count(); ++row)
        wires[table.number(row, "technology_nm")] = table.number(row, "pj_per_bit_mm");
    return wires;
}

}  // namespace

WireEstimate estimate_wire(double technology_nm) {
    static const std::map<double, double> kWires = load_wires();
    const Interpolated energy = log_log(kWires, technology_nm);
    return {energy.value, energy.fit,
            "Keckler 2011 wires, " + technology_text(technology_nm) + " (" + std::string(fit_name(energy.fit)) + ")"};
}

}  // namespace tilewright
