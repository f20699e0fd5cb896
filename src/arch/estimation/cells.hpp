// Standard-cell blocks (data/tables/cells.csv): energy per use, leakage and area at the block's own technology.
#pragma once

#include <string_view>

namespace tilewright {

inline constexpr double kCellsTechnologyNm = 40.0;

struct Cell {
    double bits = 1.0;
    double energy_pj = 0.0;
    double leak_mw = 0.0;
    double area_um2 = 0.0;
};

/// Requires a block of the table: "register", "comparator", "adder", "multiplier".
const Cell& cell(std::string_view block);

}  // namespace tilewright
