// The tables of data/tables, embedded in the library: small CSV files with their sources in comment lines (#).
// Log-log interpolation on one axis, with its quality.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tables {

/// Rows of text under named columns.
class Table {
   public:
    /// Parses comma-separated text; the first non-comment line names the columns. Requires well-formed text (it is our
    /// own).
    explicit Table(std::string_view text);

    int row_count() const { return static_cast<int>(rows_.size()); }
    const std::string& text(int row, std::string_view column) const;
    double number(int row, std::string_view column) const;

   private:
    std::vector<std::string> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// The table of this file name ("dram.csv"). Requires that it exists.
Table load(std::string_view file_name);

}  // namespace tilewright::tables

namespace tilewright {

/// Distance of an estimate from published numbers. Ordered: the worse is the larger.
enum class Fit { tabulated, interpolated, extrapolated };

inline Fit worse(Fit a, Fit b) { return std::max(a, b); }

constexpr std::string_view fit_name(Fit fit) {
    return fit == Fit::tabulated ? "tabulated" : fit == Fit::interpolated ? "interpolated" : "extrapolated";
}

/// Two neighbours of a value on an axis and the share of the upper one: outside [0, 1] beyond the ends of the axis.
template <class Value>
struct Neighbours {
    const Value* lower;
    const Value* upper;
    double share;
    Fit fit;
};

/// Neighbours of `x` among the keys of `axis` on a logarithmic scale; beyond the ends, the two outermost points.
/// Requires x > 0 and positive keys; a single key answers for every x.
template <class Value>
Neighbours<Value> neighbours(const std::map<double, Value>& axis, double x) {
    auto upper = axis.lower_bound(x);
    if (upper != axis.end() && upper->first == x) return {&upper->second, &upper->second, 0.0, Fit::tabulated};
    const bool outside = upper == axis.begin() || upper == axis.end();
    const Fit fit = outside ? Fit::extrapolated : Fit::interpolated;
    if (axis.size() == 1) return {&axis.begin()->second, &axis.begin()->second, 0.0, fit};
    if (upper == axis.begin()) ++upper;
    if (upper == axis.end()) --upper;
    const auto lower = std::prev(upper);
    const double share = std::log(x / lower->first) / std::log(upper->first / lower->first);
    return {&lower->second, &upper->second, share, fit};
}

struct Interpolated {
    double value;
    Fit fit;
};

/// y at x through the points of `curve`, straight on a log-log scale. Requires positive points and x > 0.
inline Interpolated log_log(const std::map<double, double>& curve, double x) {
    const Neighbours<double> near = neighbours(curve, x);
    if (near.share == 0.0) return {*near.lower, near.fit};
    return {*near.lower * std::pow(*near.upper / *near.lower, near.share), near.fit};
}

}  // namespace tilewright
