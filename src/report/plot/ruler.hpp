// The axes of a plane: range and ticks, the same with a browser and without. Internal to report/.
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
