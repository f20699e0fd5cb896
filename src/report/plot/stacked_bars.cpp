#include <algorithm>

#include "report/plot/canvas.hpp"
#include "report/plot/ruler.hpp"

namespace tilewright::plot {
namespace {

constexpr std::size_t kMostBars = 400;
constexpr std::size_t kMostBarTips = 120;  // a tip a box makes files large
constexpr std::size_t kMostLabels = 60;    // more would cover each other
constexpr int kLabelSize = 10;
constexpr double kWidestBar = 110.0;

struct NamesBelow {
    bool upright = false;  ///< turned if wider than a bar
    std::size_t longest = 0;
    double height = 40.0;
};

NamesBelow names_below(const StackedBars& chart, double step) {
    constexpr double kMostHeight = 190.0;
    constexpr double kSlope = 0.77;  // sine of 50 degrees
    std::string longest;
    for (const std::string& bar : chart.bars)
        if (bar.size() > longest.size()) longest = bar;
    const double width = text_width(longest, kLabelSize);
    if (width < step - 4.0) return {false, longest.size(), 40.0};
    const double height = std::min(20.0 + kSlope * width, kMostHeight);
    const double letters = (height - 20.0) / kSlope / text_width("m", kLabelSize);
    return {true, static_cast<std::size_t>(letters), height};
}

double height_of(const StackedBars& chart, std::size_t bar) {
    double sum = 0.0;
    for (const Part& part : chart.parts) sum += part.values[bar];
    return sum;
}

// Ticks, grid and the axis' title; returns the value of a unit of the drawing.
double draw_axis(Canvas& canvas, const StackedBars& chart, const Frame& frame, const Prefix& prefix) {
    double largest = 0.0;
    for (std::size_t i = 0; i < chart.bars.size(); ++i) largest = std::max(largest, height_of(chart, i));
    const std::vector<double> ticks = linear_ticks(largest > 0.0 ? largest / prefix.factor : 1.0, 5);
    for (const double tick : ticks) {
        const double y = frame.bottom - tick / ticks.back() * frame.height();
        canvas.line(frame.left, y, frame.right, y, "currentColor", 0.2);
        canvas.text(frame.left - 6.0, y + 4.0, tick_text(tick), {.anchor = Anchor::end, .size = 11});
    }
    canvas.text(16.0, (frame.top + frame.bottom) / 2.0, axis_title(chart.axis.label, chart.axis.unit, prefix),
                {.anchor = Anchor::middle, .rotation = -90});
    return ticks.back() * prefix.factor / frame.height();
}

void draw_bar(Canvas& canvas, const StackedBars& chart, std::size_t bar, const Frame& box, double unit,
              const Prefix& prefix) {
    double y = box.bottom;
    for (std::size_t p = 0; p < chart.parts.size(); ++p) {
        const double value = chart.parts[p].values[bar];
        const double height = value / unit;
        if (height < 0.005) continue;
        y -= height;
        const std::string tip = chart.bars.size() > kMostBarTips
                                    ? ""
                                    : chart.bars[bar] + ": " + chart.parts[p].name + " " +
                                          tick_text(value / prefix.factor) + " " + prefix.symbol + chart.axis.unit;
        canvas.box(box.left, y, box.width(), height, part_colour(chart, p), tip);
    }
}

}  // namespace

std::string part_colour(const StackedBars& chart, std::size_t p) {
    return chart.parts[p].colour.empty() ? colour_of(p) : chart.parts[p].colour;
}

void draw(Canvas& canvas, const StackedBars& all, const Size& size) {
    const StackedBars chart = binned(all, kMostBars);
    std::vector<std::pair<std::string, std::string>> names;
    for (std::size_t p = 0; p < chart.parts.size(); ++p)
        if (std::ranges::any_of(chart.parts[p].values, [](double value) { return value > 0.0; }))
            names.emplace_back(chart.parts[p].name, part_colour(chart, p));
    const double top = legend(canvas, names, size, 42.0);
    const double room =
        (static_cast<double>(size.width) - 85.0) / std::max(1.0, static_cast<double>(chart.bars.size()));
    const NamesBelow below = names_below(chart, room);
    const Frame frame{70.0, top, static_cast<double>(size.width) - 15.0,
                      static_cast<double>(size.height) - below.height};
    double largest = 0.0;
    for (std::size_t i = 0; i < chart.bars.size(); ++i) largest = std::max(largest, height_of(chart, i));
    const Prefix prefix = prefix_for(largest);
    const double unit = draw_axis(canvas, chart, frame, prefix);
    if (chart.bars.empty()) return;
    const double step = frame.width() / static_cast<double>(chart.bars.size());
    const double gap = std::max(std::min(step * 0.2, 12.0), step - kWidestBar);
    const std::size_t every = (chart.bars.size() + kMostLabels - 1) / kMostLabels;
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        const double x = frame.left + step * static_cast<double>(i);
        draw_bar(canvas, chart, i, {x + gap / 2.0, frame.top, x + step - gap / 2.0, frame.bottom}, unit, prefix);
        if (i % every != 0) continue;
        const std::string name = shortened(chart.bars[i], std::max<std::size_t>(below.longest, 4));
        if (below.upright)
            canvas.text(x + step / 2.0 + 4.0, frame.bottom + 12.0, name,
                        {.anchor = Anchor::end, .size = kLabelSize, .rotation = -50});
        else
            canvas.text(x + step / 2.0, frame.bottom + 16.0, name, {.anchor = Anchor::middle, .size = kLabelSize});
    }
    canvas.line(frame.left, frame.bottom, frame.right, frame.bottom);
}

}  // namespace tilewright::plot
