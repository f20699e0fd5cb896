// Scales of axes: round ticks, SI prefixes, and places of values.
#pragma once

#include <string>
#include <vector>

namespace tilewright::plot {

/// 1.5e-3 -> {1e-3, "m"}: one to three digits of `largest` before the point; none for 0 and outside 1e-24 to 1e27.
struct Prefix {
    double factor = 1.0;
    std::string symbol;
};
Prefix prefix_for(double largest);

/// "energy [mJ]", "intensity"; once if the label is the unit: "cycles", "10⁶ cycles"
std::string axis_title(const std::string& label, const std::string& unit, const Prefix& prefix);

/// A power of ten in print: "10⁶"
std::string power_text(int power);

/// Four significant digits without trailing zeros: "0.25", "1200", "3.142e+07".
std::string tick_text(double value);

/// Round numbers (1, 2, 2.5 or 5 times a power of ten) from 0 to at least `largest`, about `wanted` of them. Requires
/// largest > 0, finite.
std::vector<double> linear_ticks(double largest, int wanted);

/// Powers of ten from at most `smallest` to at least `largest`; every second, third, ... beyond ten. Requires 0 <
/// smallest <= largest, finite.
std::vector<double> decades(double smallest, double largest);

}  // namespace tilewright::plot
