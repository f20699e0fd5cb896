// The axes of a plane: from where to where they go, and what stands at them. Who draws, with a browser or without,
// draws the same. Internal to report/.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "report/plot/chart.hpp"
#include "report/plot/scale.hpp"

namespace tilewright::plot {

struct Ruler {
    Axis axis;
    Prefix prefix;
    double low = 0.0;
    double high = 1.0;
    std::vector<double> ticks;  ///< in the axis' unit, ascending, from `low` to `high`
    int digits = 4;             ///< significant ones that tell neighbouring ticks apart

    bool holds(double value) const { return std::isfinite(value) && (!axis.logarithmic || value > 0.0); }
    /// A tick's number, in the prefixed unit.
    std::string text(double tick) const;
    /// Where a value lies between 0 and 1.
    double place(double value) const {
        if (!axis.logarithmic) return (value - low) / (high - low);
        return std::log(value / low) / std::log(high / low);
    }
};

/// Fits the values: an axis begins at 0 only where the least of them is less than half of the largest; a logarithmic
/// one whose values lie closer together is drawn as a linear one.
Ruler ruler_of(const Axis& axis, const std::vector<Series>& series, double Mark::* coordinate);

}  // namespace tilewright::plot
