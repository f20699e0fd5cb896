// The public tool's derived output: energies, area, power, warnings, its 51-column CSV.
//
// Constants are those of the tool's sources (base/BASE_constants.hpp, DSE_cost-database.hpp,
// DSE_scaling-coefficients.hpp), not ours.
#pragma once

#include <string>
#include <vector>

#include "maestro/account/maestro.hpp"

namespace tilewright::maestro {

struct PrintedLayer {
    double energy_macs = 0.0;   ///< in multiply-accumulates; L1, L2 and arithmetic
    double energy_nj = 0.0;     ///< CSV: without arithmetic, with the previous layer's L1 counts (a fault)
    double throughput = 0.0;    ///< multiply-accumulates per cycle
    double reuse_factor = 0.0;  ///< all L1 reads over all L1 writes
    double area_um2 = 0.0;
    double power_mw = 0.0;
    double unit_power_mw = 0.0;
    double l1_power_mw = 0.0;
    double l2_power_mw = 0.0;
    double noc_power_mw = 0.0;
};

/// From a layer's own counts, in multiply-accumulates.
double energy_in_macs(const LayerCounts& layer);

std::vector<PrintedLayer> printed(const ToolResult& result, const ToolHardware& hardware);

/// "[WARNING:Buffer] Per-layer L1 size requirement [216] is larger than the given L1 size [128]" and the like: maxima
/// over the layers, in the tool's order.
std::vector<std::string> warnings(const ToolResult& result, const ToolHardware& hardware);

/// The tool's CSV, byte by byte: a header and a line per layer.
std::string csv(const std::string& network, const ToolResult& result, const ToolHardware& hardware);

/// A number in the tool's stream format: six significant digits.
std::string six_digits(double value);

}  // namespace tilewright::maestro
