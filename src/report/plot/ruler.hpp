// The axes of a plane: range and ticks, the same with a browser and without. Internal to report/.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "report/plot/chart.hpp"

namespace tilewright::plot {

// Scales of axes: round ticks, SI prefixes, and places of values.

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

struct Ruler {
    Axis axis;
    Prefix prefix;
    double low = 0.0;
    double high = 1.0;
    std::vector<double> ticks;  ///< in the axis' unit, ascending, from `low` to `high`
    int digits = 4;             ///< significant ones that tell neighbouring ticks apart

    bool holds(double value) const { return std::isfinite(value) && (!axis.logarithmic || value > 0.0); }
    std::string text(double tick) const;
    /// A value's place between 0 and 1.
    double place(double value) const {
        if (!axis.logarithmic) return (value - low) / (high - low);
        return std::log(value / low) / std::log(high / low);
    }
};

/// Fits the values: an axis begins at 0 only if the least value is below half of the largest; a logarithmic axis of a
/// narrower range becomes linear.
Ruler ruler_of(const Axis& axis, const std::vector<Series>& series, double Mark::* coordinate);

}  // namespace tilewright::plot
