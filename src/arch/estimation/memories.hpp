// Memories: energies, leakage and areas of SRAM, registers and DRAM.
//
// SRAM energy, leakage and area from CACTI 7 points (data/tables/sram_cacti7.csv).
//
// Between points everything is straight on a log-log scale, along technology, width, banks and rows per bank. Beyond
// the table:
// - rows: the slope of the last two points continues;
// - width: the nearest tabulated width at the same number of rows, times the ratio of the widths;
// - technology: the nearest tabulated one, scaled like logic (technology.hpp);
// - banks and ports: the nearest tabulated number.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/estimation/tables.hpp"

namespace tilewright {

struct SramShape {
    double technology_nm = 45.0;
    double rows = 1.0;
    double width_bits = 32.0;
    double banks = 1.0;
    double ports = 1.0;

    double bytes() const { return rows * width_bits / 8.0; }
};

/// Of the whole memory; energies per access of one row.
struct SramEstimate {
    double read_pj = 0.0;
    double write_pj = 0.0;
    double leak_mw = 0.0;
    double area_um2 = 0.0;
    double cycle_ns = 0.0;
    Fit fit = Fit::tabulated;
    std::string source;              ///< "CACTI 7 table, 65 nm, 128 KiB, 64 bit, 16 banks, 1 port (tabulated)"
    std::vector<std::string> notes;  ///< values outside the table, without naming the memory
};

/// Requires positive numbers; rows and banks below 1 count as 1.
SramEstimate estimate_sram(SramShape shape);

/// Rows of the smallest tabulated memory of one bank.
double smallest_sram_rows();

// Register files from standard-cell facts (data/tables/cells.csv): one register per bit, and a row decoder at the cost
// of one address comparator per row. One as deep as an SRAM is built as the cheaper, as by a compiler.
// Standard-cell blocks (data/tables/cells.csv): energy per use, leakage and area at the block's own technology.

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

// DRAM energy by type (data/tables/dram.csv), interface included. Leakage and refresh are not modelled.

struct DramEstimate {
    std::string type;
    double pj_per_bit = 0.0;
    std::string source;  ///< "LPDDR4, 8 pJ/bit, Accelergy's CACTI plug-in"
    /// Range of an unpublished energy; pj_per_bit is then assumed.
    std::optional<double> low = std::nullopt;
    std::optional<double> high = std::nullopt;
};

/// Empty for an unknown type. Case-insensitive.
std::optional<DramEstimate> estimate_dram(std::string_view type);

/// The ranged estimate behind a number of this source, if any.
std::optional<DramEstimate> range_behind(std::string_view source);

/// The default: the first row of the table, LPDDR4.
DramEstimate default_dram();

std::vector<std::string> dram_types();

}  // namespace tilewright
