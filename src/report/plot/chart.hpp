// Charts as values, without drawing: svg() draws them without a browser, the HTML report with one.
//
// Numbers are in the axis' base unit (J, not pJ; cycles; words): the drawer chooses the SI prefix, and escapes text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tilewright::plot {

struct Axis {
    std::string label;  ///< "energy"
    std::string unit;   ///< "J"; "" for plain numbers
    bool logarithmic = false;
    std::vector<std::string> names = {};  ///< tick labels at 1, 2, ... replacing the numbers; of x axes of planes

    bool operator==(const Axis&) const = default;
};

struct Part {
    std::string name;
    std::vector<double> values;  ///< by bar; none is negative
    std::string colour = {};     ///< "#0072b2"; "": that of its place among the parts

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

struct Series {
    std::string name;
    bool line = false;
    std::vector<Mark> marks;
    int colour = -1;        ///< related series have the same number; -1: one of its own
    bool labelled = false;  ///< labels beside the marks, room permitting

    bool operator==(const Series&) const = default;
};

struct Plane {
    std::string title;
    Axis x;
    Axis y;
    std::vector<Series> series;
    std::vector<Mark> scales = {};  ///< texts at their places: values of the upright axes of named x axes

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

/// A rectangle: lasts from `begin` to `end` at one place of the upright axis.
struct Block {
    double begin = 0.0;
    double end = 0.0;
    double low = 0.0;  ///< a row's number, or its begin on the upright axis
    double high = 0.0;
    std::size_t kind = 0;
    std::string label;  ///< "" for none

    bool operator==(const Block&) const = default;
};

/// Spans in rows (a Gantt chart), or ranges of an axis over time.
struct Blocks {
    std::string title;
    Axis x;
    std::vector<std::string> rows;  ///< from the top; row r is from r to r + 1. Empty: `y` is an axis
    Axis y;
    std::vector<std::string> kinds;  ///< meanings of the colours
    std::vector<Block> blocks;

    bool operator==(const Blocks&) const = default;
};

using Chart = std::variant<StackedBars, Plane, HeatMap, Blocks>;

const std::string& title_of(const Chart& chart);

std::string series_colour(const Plane& chart, std::size_t s);
/// Of the p-th part: its own, or that of its place.
std::string part_colour(const StackedBars& chart, std::size_t p);

/// Adds up neighbouring bars until at most `most` are left; "conv1 to conv9" names a sum. Requires most > 0.
StackedBars binned(const StackedBars& chart, std::size_t most);

/// Joins, without a label, indistinguishable blocks: of one kind and place, shorter than `least`, and less than that
/// apart. In the order of their beginning.
Blocks merged(const Blocks& chart, double least);

// Charts as SVG, without a browser: for papers and slides, and for reports built without node.
//
// Elements and presentation attributes only: no scripts, styles or links, for pages with a strict content security
// policy. Lines and text have the colour of the text around them (`currentColor`).

struct Size {
    int width = 900;  ///< of the drawing, in its own units; it scales
    int height = 420;
};

/// An <svg> element, complete as a file. Equal charts give equal bytes. More than 400 bars are binned(); overlapping
/// marks are drawn once, indistinguishable blocks as one; values without a place on a logarithmic axis (0 and less) are
/// left out. Maps of many rows are higher than asked for.
std::string svg(const Chart& chart, const Size& size = {});

// Draws overlapping points once: a page with 100,000 marks is slow and shows no more.

/// More marks are a blot, and a large page.
inline constexpr std::size_t kMostMarks = 4000;

struct PlacedPoint {
    double x = 0.0;
    double y = 0.0;
};

/// Points to draw, ascending: all of up to `most`, else the first one in every cell of the finest grid with so few.
/// Points an axis cannot show (not above 0 on a logarithmic one) are left out of many.
std::vector<std::size_t> drawn_points(std::span<const PlacedPoint> points, const Axis& x, const Axis& y,
                                      std::size_t most = kMostMarks);

/// "Of 100000 mappings 612 are drawn, one wherever several would cover each other."; "" if all are.
std::string drawn_text(std::size_t drawn, std::size_t of, const std::string& what);

}  // namespace tilewright::plot
