// On-chip wires (data/tables/wire.csv).
#pragma once

#include <string>

#include "arch/estimation/interpolate.hpp"

namespace tilewright {

struct WireEstimate {
    double pj_per_bit_mm = 0.0;
    Fit fit = Fit::tabulated;
    std::string source;
};

/// Requires a positive technology.
WireEstimate estimate_wire(double technology_nm);

}  // namespace tilewright
