#include "arch/estimation/technology.hpp"

#include <charconv>
#include <map>

#include "arch/estimation/tables.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright {
namespace {

/// Energy and area of a piece of logic by technology, relative.
struct Scaling {
    std::map<double, double> energy;
    std::map<double, double> area;
};

Scaling load_scaling() {
    const tables::Table table = tables::load("scaling.csv");
    Scaling scaling;
    for (int row = 0; row < table.row_count(); ++row) {
        const double nm = table.number(row, "technology_nm");
        const double volt = table.number(row, "supply_v");
        scaling.energy[nm] =
            (table.number(row, "a2") * volt + table.number(row, "a1")) * volt + table.number(row, "a0");
        scaling.area[nm] = table.number(row, "area");
    }
    return scaling;
}

const Scaling& scaling() {
    static const Scaling kLoaded = load_scaling();
    return kLoaded;
}

Interpolated ratio(const std::map<double, double>& curve, double from_nm, double to_nm) {
    if (from_nm == to_nm) return {1.0, Fit::tabulated};
    const Interpolated from = log_log(curve, from_nm);
    const Interpolated to = log_log(curve, to_nm);
    return {to.value / from.value, worse(from.fit, to.fit)};
}

}  // namespace

std::optional<double> technology_nm(std::string_view text) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    while (unit.starts_with(' ')) unit.remove_prefix(1);
    if (unit == "um" || unit == "u")
        value *= 1000.0;
    else if (!unit.empty() && unit != "nm" && unit != "n" && unit != "NM" && unit != "Nm")
        return std::nullopt;
    if (!(value >= 0.1 && value <= 1e5)) return std::nullopt;
    return value;
}

std::string technology_text(double nm) { return short_number(nm) + " nm"; }

Interpolated energy_scale(double from_nm, double to_nm) { return ratio(scaling().energy, from_nm, to_nm); }

Interpolated area_scale(double from_nm, double to_nm) { return ratio(scaling().area, from_nm, to_nm); }

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
