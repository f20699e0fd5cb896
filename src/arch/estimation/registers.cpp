#include "arch/estimation/registers.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>

#include "arch/estimation/tables.hpp"
#include "arch/estimation/technology.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright {
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

}  // namespace tilewright
