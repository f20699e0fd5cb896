// Charts as values: what is to be drawn, without saying how. svg.hpp draws them without a browser, the HTML report with
// one; both from these same values.
//
// Numbers are in the axis' base unit (J, not pJ; cycles; words): who draws chooses the SI prefix. Text is data: who
// draws escapes it.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace tilewright::plot {

struct Axis {
    std::string label;  ///< "energy"
    std::string unit;   ///< "J"; "" for plain numbers
    bool logarithmic = false;

    bool operator==(const Axis&) const = default;
};

/// One part of every bar.
struct Part {
    std::string name;
    std::vector<double> values;  ///< by bar; none is negative

    bool operator==(const Part&) const = default;
};

struct StackedBars {
    std::string title;
    std::vector<std::string> bars;
    Axis axis;
    std::vector<Part> parts;  ///< each with as many values as there are bars

    bool operator==(const StackedBars&) const = default;
};

struct Mark {
    double x = 0.0;
    double y = 0.0;
    std::string label;  ///< "" for none

    bool operator==(const Mark&) const = default;
};

/// Marks, or the line through them.
struct Series {
    std::string name;
    bool line = false;
    std::vector<Mark> marks;
    int colour = -1;  ///< series that belong together have the same number; -1: one of its own

    bool operator==(const Series&) const = default;
};

struct Plane {
    std::string title;
    Axis x;
    Axis y;
    std::vector<Series> series;

    bool operator==(const Plane&) const = default;
};

struct HeatMap {
    std::string title;
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    Axis value;
    std::vector<std::vector<double>> cells;  ///< [row][column]; none is negative

    bool operator==(const HeatMap&) const = default;
};

using Chart = std::variant<StackedBars, Plane, HeatMap>;

const std::string& title_of(const Chart& chart);

/// Neighbouring bars added up until there are at most `most`; "conv1 to conv9" names one that stands for several.
/// Requires most > 0.
StackedBars binned(const StackedBars& chart, std::size_t most);

}  // namespace tilewright::plot
