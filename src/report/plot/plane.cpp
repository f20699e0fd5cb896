#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "report/plot/canvas.hpp"
#include "report/plot/scale.hpp"

namespace tilewright::plot {
namespace {

constexpr std::size_t kMostTips = 2000;

// One axis: its ticks, and where a value lies between 0 and 1.
struct Ruler {
    Axis axis;
    Prefix prefix;
    std::vector<double> ticks;  ///< in the axis' unit

    bool holds(double value) const { return std::isfinite(value) && (!axis.logarithmic || value > 0.0); }
    double place(double value) const {
        if (!axis.logarithmic) return (value - ticks.front()) / (ticks.back() - ticks.front());
        return std::log(value / ticks.front()) / std::log(ticks.back() / ticks.front());
    }
};

Ruler ruler_of(const Axis& axis, const std::vector<Series>& series, double Mark::* coordinate) {
    Ruler ruler{axis, {}, {}};
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (const Series& one : series)
        for (const Mark& mark : one.marks) {
            if (!ruler.holds(mark.*coordinate)) continue;
            smallest = std::min(smallest, mark.*coordinate);
            largest = std::max(largest, mark.*coordinate);
        }
    if (!(largest > 0.0)) smallest = largest = 1.0;
    if (!axis.names.empty()) {
        for (std::size_t i = 0; i < axis.names.size(); ++i) ruler.ticks.push_back(static_cast<double>(i + 1));
        if (ruler.ticks.size() == 1) ruler.ticks.push_back(2.0);
        return ruler;
    }
    ruler.ticks = axis.logarithmic ? decades(smallest, largest) : linear_ticks(largest, 6);
    // Beside powers of ten only a prefix of a letter reads well: "mJ", but not "10^3 cycles".
    if (!axis.unit.empty() && (!axis.logarithmic || axis.unit.size() <= 2)) ruler.prefix = prefix_for(largest);
    return ruler;
}

void draw_rulers(Canvas& canvas, const Frame& frame, const Ruler& x, const Ruler& y) {
    for (std::size_t i = 0; i < x.ticks.size(); ++i) {
        const double place = frame.left + x.place(x.ticks[i]) * frame.width();
        canvas.line(place, frame.top, place, frame.bottom, "currentColor", 0.2);
        const bool named = i < x.axis.names.size();
        // Names may be long: neighbours stand on lines of their own.
        const double below = named && i % 2 == 1 ? 29.0 : 16.0;
        canvas.text(place, frame.bottom + below, named ? x.axis.names[i] : tick_text(x.ticks[i] / x.prefix.factor),
                    {.anchor = Anchor::middle, .size = 11});
    }
    for (const double tick : y.ticks) {
        const double place = frame.bottom - y.place(tick) * frame.height();
        canvas.line(frame.left, place, frame.right, place, "currentColor", 0.2);
        canvas.text(frame.left - 6.0, place + 4.0, tick_text(tick / y.prefix.factor),
                    {.anchor = Anchor::end, .size = 11});
    }
    canvas.text((frame.left + frame.right) / 2.0, frame.bottom + 38.0, axis_title(x.axis.label, x.axis.unit, x.prefix),
                {.anchor = Anchor::middle});
    canvas.text(16.0, (frame.top + frame.bottom) / 2.0, axis_title(y.axis.label, y.axis.unit, y.prefix),
                {.anchor = Anchor::middle, .rotation = -90});
}

struct Drawn {
    std::vector<std::pair<double, double>> points;
    std::vector<const Mark*> marks;
};

// Marks that would cover each other are drawn once: one for each cell of two units.
Drawn places_of(const Series& series, const Frame& frame, const Ruler& x, const Ruler& y) {
    Drawn drawn;
    std::set<std::pair<int, int>> taken;
    for (const Mark& mark : series.marks) {
        if (!x.holds(mark.x) || !y.holds(mark.y)) continue;
        const double px = frame.left + x.place(mark.x) * frame.width();
        const double py = frame.bottom - y.place(mark.y) * frame.height();
        const std::pair cell{static_cast<int>(px / 2.0), static_cast<int>(py / 2.0)};
        if (!series.line && !taken.insert(cell).second) continue;
        drawn.points.emplace_back(px, py);
        drawn.marks.push_back(&mark);
    }
    return drawn;
}

std::string series_colour(const Plane& chart, std::size_t s) {
    const int given = chart.series[s].colour;
    return plot::colour_of(given < 0 ? s : static_cast<std::size_t>(given));
}

void draw_series(Canvas& canvas, const Series& series, const Drawn& drawn, const std::string& colour) {
    if (series.line) return canvas.path(drawn.points, colour);
    for (std::size_t i = 0; i < drawn.points.size(); ++i) {
        const std::string& label = drawn.marks[i]->label;
        const bool tip = drawn.points.size() <= kMostTips && !label.empty();
        canvas.dot(drawn.points[i].first, drawn.points[i].second, colour, tip ? series.name + ": " + label : "");
    }
}

}  // namespace

void draw(Canvas& canvas, const Plane& chart, const Size& size) {
    std::vector<std::pair<std::string, std::string>> names;
    for (std::size_t s = 0; s < chart.series.size() && s < 24; ++s)
        if (!chart.series[s].name.empty()) names.emplace_back(chart.series[s].name, series_colour(chart, s));
    if (chart.series.size() > 24) names.emplace_back("and more", "none");
    const double top = legend(canvas, names, size, 42.0);
    const Frame frame{70.0, top, static_cast<double>(size.width) - 25.0, static_cast<double>(size.height) - 50.0};
    const Ruler x = ruler_of(chart.x, chart.series, &Mark::x);
    const Ruler y = ruler_of(chart.y, chart.series, &Mark::y);
    draw_rulers(canvas, frame, x, y);
    for (std::size_t s = 0; s < chart.series.size(); ++s)
        draw_series(canvas, chart.series[s], places_of(chart.series[s], frame, x, y), series_colour(chart, s));
    canvas.line(frame.left, frame.bottom, frame.right, frame.bottom);
    canvas.line(frame.left, frame.top, frame.left, frame.bottom);
}

}  // namespace tilewright::plot
