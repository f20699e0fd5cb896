#include "arch/estimation/cells.hpp"

#include <map>
#include <string>

#include "arch/estimation/tables.hpp"

namespace tilewright {
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
