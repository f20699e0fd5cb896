#include <algorithm>
#include <cmath>
#include <set>

#include "report/plot/canvas.hpp"
#include "report/plot/ruler.hpp"

namespace tilewright::plot {
namespace {

constexpr std::size_t kMostPointTips = 2000;

// Names of neighbouring upright axes fit beside each other.
bool names_fit(const Ruler& x, double width) {
    for (std::size_t i = 1; i < x.axis.names.size(); ++i) {
        const double step = width / static_cast<double>(x.axis.names.size() - 1);
        if ((text_width(x.axis.names[i - 1], 11) + text_width(x.axis.names[i], 11)) / 2.0 > step - 6.0) return false;
    }
    return true;
}

void draw_across(Canvas& canvas, const Frame& frame, const Ruler& x) {
    const bool upright = !x.axis.names.empty();
    const bool one_line = names_fit(x, frame.width());
    for (std::size_t i = 0; i < x.ticks.size(); ++i) {
        const double place = frame.left + x.place(x.ticks[i]) * frame.width();
        canvas.line(place, frame.top, place, frame.bottom, "currentColor", upright ? 0.6 : 0.2);
        // Names may be long: neighbours then stand on lines of their own.
        const double below = upright ? (!one_line && i % 2 == 1 ? 36.0 : 22.0) : 16.0;
        canvas.text(place, frame.bottom + below, upright ? x.axis.names[i] : x.text(x.ticks[i]),
                    {.anchor = Anchor::middle, .size = 11});
    }
    if (!upright)
        canvas.text((frame.left + frame.right) / 2.0, frame.bottom + 38.0,
                    axis_title(x.axis.label, x.axis.unit, x.prefix), {.anchor = Anchor::middle});
}

void draw_up(Canvas& canvas, const Frame& frame, const Ruler& y) {
    for (const double tick : y.ticks) {
        const double place = frame.bottom - y.place(tick) * frame.height();
        canvas.line(frame.left, place, frame.right, place, "currentColor", 0.2);
        canvas.text(frame.left - 6.0, place + 4.0, y.text(tick), {.anchor = Anchor::end, .size = 11});
    }
    canvas.text(16.0, (frame.top + frame.bottom) / 2.0, axis_title(y.axis.label, y.axis.unit, y.prefix),
                {.anchor = Anchor::middle, .rotation = -90});
}

struct Drawn {
    std::vector<std::pair<double, double>> points;
    std::vector<const Mark*> marks;
};

// Overlapping marks are drawn once: one for each cell of two units.
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

void draw_series(Canvas& canvas, const Series& series, const Drawn& drawn, const std::string& colour) {
    if (series.line) return canvas.path(drawn.points, colour);
    for (std::size_t i = 0; i < drawn.points.size(); ++i) {
        const std::string& label = drawn.marks[i]->label;
        const bool tip = drawn.points.size() <= kMostPointTips && !label.empty();
        canvas.dot(drawn.points[i].first, drawn.points[i].second, colour, tip ? series.name + ": " + label : "");
    }
}

void avoid_line(const Drawn& line, Labels& labels) {
    constexpr double kStep = 8.0;
    for (std::size_t i = 1; i < line.points.size(); ++i) {
        const auto [x0, y0] = line.points[i - 1];
        const auto [x1, y1] = line.points[i];
        const int steps = static_cast<int>(std::hypot(x1 - x0, y1 - y0) / kStep) + 1;
        for (int k = 0; k <= steps; ++k) labels.avoid(x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps);
    }
}

// Labels of named marks; the marks of all series stay free.
void draw_labels(Canvas& canvas, const Plane& chart, const std::vector<Drawn>& drawn, const Frame& frame) {
    constexpr std::size_t kMostLabelled = 400;
    Labels labels(frame);
    for (std::size_t s = 0; s < drawn.size(); ++s)
        if (chart.series[s].line && chart.scales.empty()) avoid_line(drawn[s], labels);
    for (std::size_t s = 0; s < drawn.size(); ++s)
        if (!chart.series[s].line && drawn[s].points.size() <= kMostLabelled)
            for (const auto& [x, y] : drawn[s].points) labels.keep_free(x, y);
    for (std::size_t s = 0; s < drawn.size(); ++s)
        for (std::size_t i = 0; chart.series[s].labelled && i < drawn[s].points.size() && i < kMostLabelled; ++i)
            labels.draw(canvas, drawn[s].points[i].first, drawn[s].points[i].second, drawn[s].marks[i]->label);
}

constexpr int kScaleSize = 10;  // of the font

// Places of the values beside upright axes.
std::vector<Frame> boxes_of_scales(const Plane& chart, const Frame& frame, const Ruler& x, const Ruler& y) {
    std::vector<Frame> boxes;
    for (const Mark& mark : chart.scales) {
        const double left = frame.left + x.place(mark.x) * frame.width() + 4.0;
        const double middle = frame.bottom - y.place(mark.y) * frame.height();
        boxes.push_back({left, middle - 6.5, left + text_width(mark.label, kScaleSize), middle + 6.0});
    }
    return boxes;
}

void draw_scales(Canvas& canvas, const Plane& chart, const std::vector<Frame>& boxes) {
    for (std::size_t i = 0; i < boxes.size(); ++i)
        canvas.text(boxes[i].left, boxes[i].bottom - 2.5, chart.scales[i].label, {.size = kScaleSize});
}

// Room for the widest tick, and the axis' title beside it.
double left_of(const Ruler& y, bool upright) {
    double widest = 34.0;
    for (const double tick : y.ticks) widest = std::max(widest, text_width(y.text(tick), 11));
    return upright ? 70.0 : widest + 36.0;
}

}  // namespace

std::string series_colour(const Plane& chart, std::size_t s) {
    const int given = chart.series[s].colour;
    return plot::colour_of(given < 0 ? s : static_cast<std::size_t>(given));
}

void draw(Canvas& canvas, const Plane& chart, const Size& size) {
    std::vector<std::pair<std::string, std::string>> names;
    for (std::size_t s = 0; s < chart.series.size() && s < 24; ++s)
        if (!chart.series[s].name.empty()) names.emplace_back(chart.series[s].name, series_colour(chart, s));
    if (chart.series.size() > 24) names.emplace_back("and more", "none");
    const double top = legend(canvas, names, size, 42.0);
    const Ruler x = ruler_of(chart.x, chart.series, &Mark::x);
    const Ruler y = ruler_of(chart.y, chart.series, &Mark::y);
    const Frame frame{left_of(y, !chart.scales.empty()), top,
                      static_cast<double>(size.width) - (chart.scales.empty() ? 25.0 : 70.0),
                      static_cast<double>(size.height) - 50.0};
    const std::vector<Frame> scales = boxes_of_scales(chart, frame, x, y);
    draw_across(canvas, frame, x);
    if (chart.scales.empty()) draw_up(canvas, frame, y);  // else every upright axis has its own
    std::vector<Drawn> drawn;
    for (const Series& series : chart.series) drawn.push_back(places_of(series, frame, x, y));
    canvas.begin_around(scales, size);
    for (std::size_t s = 0; s < chart.series.size(); ++s)
        draw_series(canvas, chart.series[s], drawn[s], series_colour(chart, s));
    canvas.end_around(scales);
    draw_labels(canvas, chart, drawn, frame);
    draw_scales(canvas, chart, scales);
    canvas.line(frame.left, frame.bottom, frame.right, frame.bottom);
    canvas.line(frame.left, frame.top, frame.left, frame.bottom);
}

}  // namespace tilewright::plot
