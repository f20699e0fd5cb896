#include "arch/estimation/memories.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>
#include <string>

#include "arch/estimation/tables.hpp"
#include "arch/estimation/technology.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright {
namespace {

/// Logarithms of read_pj, write_pj, leak_mw, area_mm2 and cycle_ns.
using Logs = std::array<double, 5>;
constexpr std::array<const char*, 5> kColumns{"read_pj", "write_pj", "leak_mw", "area_mm2", "cycle_ns"};

using ByRows = std::map<double, Logs>;  // rows per bank
using ByBanks = std::map<double, ByRows>;
using ByWidth = std::map<double, ByBanks>;
using ByTechnology = std::map<double, ByWidth>;
using ByPorts = std::map<double, ByTechnology>;

ByPorts load_points() {
    const tables::Table table = tables::load("sram_cacti7.csv");
    ByPorts points;
    for (int row = 0; row < table.row_count(); ++row) {
        const double width = table.number(row, "width_bits");
        const double banks = table.number(row, "banks");
        const double rows_per_bank = table.number(row, "size_bytes") * 8.0 / width / banks;
        Logs& logs =
            points[table.number(row, "rw_ports")][table.number(row, "technology_nm")][width][banks][rows_per_bank];
        for (std::size_t i = 0; i < kColumns.size(); ++i) logs[i] = std::log(table.number(row, kColumns[i]));
    }
    return points;
}

const ByPorts& points() {
    static const ByPorts kLoaded = load_points();
    return kLoaded;
}

Logs blend(const Logs& lower, const Logs& upper, double share) {
    Logs result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = lower[i] + share * (upper[i] - lower[i]);
    return result;
}

/// Position on the lower axes during interpolation, and the quality of the points so far.
struct SramWalk {
    double width;
    double banks;
    double rows_per_bank;
    Fit fit = Fit::tabulated;
};

Logs interpolate(const Logs& logs, SramWalk&) { return logs; }

double position(const ByRows&, const SramWalk& walk) { return walk.rows_per_bank; }
double position(const ByBanks&, const SramWalk& walk) { return walk.banks; }
double position(const ByWidth&, const SramWalk& walk) { return walk.width; }

template <class Next>
Logs between(const Neighbours<Next>& near, SramWalk& walk) {
    walk.fit = worse(walk.fit, near.fit);
    const Logs lower = interpolate(*near.lower, walk);
    if (near.share == 0.0) return lower;
    return blend(lower, interpolate(*near.upper, walk), near.share);
}

template <class Next>
Logs interpolate(const std::map<double, Next>& axis, SramWalk& walk) {
    return between(neighbours(axis, position(axis, walk)), walk);
}

template <class Value>
double clamped(const std::map<double, Value>& axis, double x) {
    return std::clamp(x, axis.begin()->first, std::prev(axis.end())->first);
}

std::string count_text(double count, const std::string& noun) {
    return short_number(count) + " " + noun + (count == 1.0 ? "" : "s");
}

std::string shape_text(const SramShape& shape) {
    return technology_text(shape.technology_nm) + ", " + size_text(shape.bytes()) + ", " +
           short_number(shape.width_bits) + " bit, " + count_text(shape.banks, "bank") + ", " +
           count_text(shape.ports, "port");
}

/// One sentence if `asked` was clamped to `used`.
void note_clamp(std::vector<std::string>& notes, const std::string& what, double asked, double used,
                const std::string& consequence) {
    if (asked == used) return;
    notes.push_back(what + " " + short_number(asked) + " is outside the CACTI table, which " +
                    (asked < used ? "begins" : "ends") + " at " + short_number(used) + ": " + consequence);
}

void note_clamps(SramEstimate& estimate, const SramShape& asked, const SramShape& used) {
    note_clamp(estimate.notes, "number of banks", asked.banks, used.banks, "the nearest is used");
    note_clamp(estimate.notes, "number of ports", asked.ports, used.ports, "the nearest is used");
    note_clamp(estimate.notes, "width (bits)", asked.width_bits, used.width_bits,
               "scaled with the width at the same number of rows");
    note_clamp(estimate.notes, "technology (nm)", asked.technology_nm, used.technology_nm, "scaled like logic");
}

void note_rows(SramEstimate& estimate, const SramShape& asked, Fit fit) {
    if (fit == Fit::extrapolated)
        estimate.notes.push_back(size_text(asked.bytes()) + " at " + short_number(asked.width_bits) + " bit and " +
                                 count_text(asked.banks, "bank") +
                                 " is outside the CACTI table: extrapolated over the size");
}

/// The tabulated shape nearest to `asked`.
SramShape inside_table(const SramShape& asked) {
    SramShape used = asked;
    used.ports = asked.ports < 1.5 ? 1.0 : std::prev(points().end())->first;
    const ByTechnology& technologies = points().at(used.ports);
    used.technology_nm = clamped(technologies, asked.technology_nm);
    const ByWidth& widths = technologies.begin()->second;
    used.width_bits = clamped(widths, asked.width_bits);
    used.banks = clamped(widths.begin()->second, asked.banks);
    return used;
}

}  // namespace

SramEstimate estimate_sram(SramShape shape) {
    shape.rows = std::max(shape.rows, 1.0);
    shape.banks = std::max(shape.banks, 1.0);
    shape.ports = std::max(shape.ports, 1.0);
    const SramShape used = inside_table(shape);
    SramWalk walk{used.width_bits, used.banks, shape.rows / used.banks};
    const Logs logs = between(neighbours(points().at(used.ports), used.technology_nm), walk);

    const double width_ratio = shape.width_bits / used.width_bits;
    const double energy_ratio = width_ratio * energy_scale(used.technology_nm, shape.technology_nm).value;
    const double area_ratio = width_ratio * area_scale(used.technology_nm, shape.technology_nm).value;
    SramEstimate estimate;
    estimate.read_pj = std::exp(logs[0]) * energy_ratio;
    estimate.write_pj = std::exp(logs[1]) * energy_ratio;
    estimate.leak_mw = std::exp(logs[2]) * energy_ratio;
    estimate.area_um2 = std::exp(logs[3]) * 1e6 * area_ratio;
    estimate.cycle_ns = std::exp(logs[4]);
    note_rows(estimate, shape, walk.fit);
    note_clamps(estimate, shape, used);
    estimate.fit = estimate.notes.empty() ? walk.fit : Fit::extrapolated;
    estimate.source = "CACTI 7 table, " + shape_text(shape) + " (" + std::string(fit_name(estimate.fit)) + ")";
    return estimate;
}

double smallest_sram_rows() {
    const ByWidth& widths = points().begin()->second.begin()->second;
    return widths.begin()->second.begin()->second.begin()->first;
}

namespace {

/// Comparators of one address bit in the decoder.
double decoder_bits(double rows) { return rows > 1.0 ? rows * std::ceil(std::log2(rows)) : 0.0; }

SramEstimate estimate_flip_flops(const SramShape& shape) {
    const Interpolated energy = energy_scale(kCellsTechnologyNm, shape.technology_nm);
    const Interpolated area = area_scale(kCellsTechnologyNm, shape.technology_nm);
    const Cell& storage = cell("register");
    const Cell& comparator = cell("comparator");
    const double compared = decoder_bits(shape.rows) / comparator.bits;
    SramEstimate estimate;
    estimate.read_pj = (shape.width_bits * storage.energy_pj + compared * comparator.energy_pj) * energy.value;
    estimate.write_pj = estimate.read_pj;
    estimate.leak_mw = (shape.rows * shape.width_bits * storage.leak_mw + compared * comparator.leak_mw) * energy.value;
    estimate.area_um2 =
        (shape.rows * shape.width_bits * storage.area_um2 + compared * comparator.area_um2) * area.value;
    estimate.fit = worse(energy.fit, area.fit);
    estimate.source =
        "Aladdin registers, 40 nm, " + short_number(shape.rows) + " x " + short_number(shape.width_bits) + " bit";
    if (shape.technology_nm != kCellsTechnologyNm)
        estimate.source += ", energy x" + short_number(energy.value) + " to " + technology_text(shape.technology_nm);
    if (estimate.fit == Fit::extrapolated)
        estimate.notes.push_back(technology_text(shape.technology_nm) + " is outside the scaling table: extrapolated");
    return estimate;
}

/// The SRAM alternative: not smaller than the smallest tabulated one.
SramEstimate estimate_replacement(SramShape shape) {
    shape.rows = std::max(shape.rows, smallest_sram_rows());
    shape.banks = 1.0;
    return estimate_sram(shape);
}

}  // namespace

bool is_register_file(const std::string& kind) {
    std::string lower = kind;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool named = lower.find("regfile") != std::string::npos || lower.find("register") != std::string::npos;
    return named || lower.ends_with("_rf") || lower.find("_rf_") != std::string::npos || lower == "rf";
}

SramEstimate estimate_registers(const SramShape& shape) {
    SramEstimate flip_flops = estimate_flip_flops(shape);
    if (shape.rows <= 1.0) return flip_flops;
    SramEstimate sram = estimate_replacement(shape);
    if (sram.read_pj + sram.write_pj >= flip_flops.read_pj + flip_flops.write_pj) return flip_flops;
    sram.source += ", cheaper here than registers";
    return sram;
}

namespace {

using Cells = std::map<std::string, Cell, std::less<>>;

Cells load_cells() {
    const tables::Table table = tables::load("cells.csv");
    Cells cells;
    for (int row = 0; row < table.row_count(); ++row)
        cells[table.text(row, "block")] = {table.number(row, "bits"), table.number(row, "energy_pj"),
                                           table.number(row, "leak_mw"), table.number(row, "area_um2")};
    return cells;
}

}  // namespace

const Cell& cell(std::string_view block) {
    static const Cells kCells = load_cells();
    return kCells.find(block)->second;
}

namespace {

const tables::Table& types() {
    static const tables::Table kLoaded = tables::load("dram.csv");
    return kLoaded;
}

bool same_letters(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

DramEstimate of_row(int row) {
    const std::string& name = types().text(row, "type");
    const double energy = types().number(row, "pj_per_bit");
    DramEstimate estimate{name, energy, name + ", " + short_number(energy) + " pJ/bit, "};
    if (!types().text(row, "low").empty()) {
        estimate.low = types().number(row, "low");
        estimate.high = types().number(row, "high");
        estimate.source +=
            "assumed between " + short_number(*estimate.low) + " and " + short_number(*estimate.high) + ": ";
    }
    estimate.source += types().text(row, "source");
    return estimate;
}

}  // namespace

std::optional<DramEstimate> estimate_dram(std::string_view type) {
    for (int row = 0; row < types().row_count(); ++row)
        if (same_letters(types().text(row, "type"), type)) return of_row(row);
    return std::nullopt;
}

std::optional<DramEstimate> range_behind(std::string_view source) {
    for (int row = 0; row < types().row_count(); ++row)
        if (DramEstimate estimate = of_row(row); estimate.low && source.find(estimate.source) != source.npos)
            return estimate;
    return std::nullopt;
}

DramEstimate default_dram() { return of_row(0); }

std::vector<std::string> dram_types() {
    std::vector<std::string> names;
    names.reserve(types().row_count());
    for (int row = 0; row < types().row_count(); ++row) names.push_back(types().text(row, "type"));
    return names;
}

}  // namespace tilewright
