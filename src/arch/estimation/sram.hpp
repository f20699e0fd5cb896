// SRAM energy, leakage and area from CACTI 7 points (data/tables/sram_cacti7.csv).
//
// Between points everything is straight on a log-log scale, along technology, width, banks and rows per bank. Beyond
// the table:
// - rows: the slope of the last two points continues;
// - width: the nearest tabulated width at the same number of rows, times the ratio of the widths;
// - technology: the nearest tabulated one, scaled like logic (technology.hpp);
// - banks and ports: the nearest tabulated number.
#pragma once

#include <string>
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

}  // namespace tilewright
