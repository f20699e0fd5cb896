// Multiply-accumulate units by width: energy and area from Horowitz' 45 nm numbers (data/tables/arithmetic.csv),
// leakage from Aladdin's 40 nm blocks (cells.csv), scaled like logic.
#pragma once

#include <string>
#include <vector>

#include "arch/estimation/tables.hpp"

namespace tilewright {

inline constexpr double kArithmeticTechnologyNm = 45.0;

struct MacShape {
    double technology_nm = 45.0;
    double multiplier_bits = 16.0;
    double adder_bits = 32.0;
    bool floating_point = false;
};

struct MacEstimate {
    double energy_pj = 0.0;
    double leak_mw = 0.0;
    double area_um2 = 0.0;
    Fit fit = Fit::tabulated;
    std::string source;              ///< "Horowitz 45 nm: 8-bit multiply 0.2 pJ + 16-bit add 0.05 pJ, x1.652 to 65 nm"
    std::vector<std::string> notes;  ///< values outside the tables
};

/// True for floating-point classes: "fpmac", "bf16_mac", ...
bool is_floating_point(const std::string& kind);

/// Requires positive numbers.
MacEstimate estimate_mac(const MacShape& shape);
/// One adder or multiplier alone. Requires positive numbers.
MacEstimate estimate_adder(double bits, bool floating_point, double technology_nm);
MacEstimate estimate_multiplier(double bits, bool floating_point, double technology_nm);

}  // namespace tilewright
