// Register files from standard-cell facts (data/tables/cells.csv): one register per bit, and a row decoder at the cost
// of one address comparator per row. One as deep as an SRAM is built as the cheaper, as by a compiler.
// Standard-cell blocks (data/tables/cells.csv): energy per use, leakage and area at the block's own technology.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arch/estimation/sram.hpp"

namespace tilewright {

/// True for register-file classes: "regfile", "smartbuffer_RF", "aladdin_register", ...
bool is_register_file(const std::string& kind);

/// Of the whole register file; energies per access of one row. Reading and writing cost the same.
SramEstimate estimate_registers(const SramShape& shape);

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
