// Technologies: spelling, and scaling of logic energy and area (data/tables/scaling.csv).
// On-chip wires (data/tables/wire.csv).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "arch/estimation/tables.hpp"

namespace tilewright {

/// Nanometres of "45nm", "45 nm", "0.045um" or "45"; empty for anything else.
std::optional<double> technology_nm(std::string_view text);

/// "45 nm", "0.5 nm"
std::string technology_text(double nm);

/// Energy factor of the same logic from one technology to the other.
Interpolated energy_scale(double from_nm, double to_nm);

/// The same for its area.
Interpolated area_scale(double from_nm, double to_nm);

struct WireEstimate {
    double pj_per_bit_mm = 0.0;
    Fit fit = Fit::tabulated;
    std::string source;
};

/// Requires a positive technology.
WireEstimate estimate_wire(double technology_nm);

}  // namespace tilewright
