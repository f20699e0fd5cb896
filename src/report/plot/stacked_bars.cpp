#include <algorithm>

#include "report/plot/canvas.hpp"
#include "report/plot/markup.hpp"
#include "report/plot/scale.hpp"

namespace tilewright::plot {
namespace {

constexpr std::size_t kMostBars = 400;
constexpr std::size_t kMostTips = 120;   // a tip a box makes files large
constexpr std::size_t kMostLabels = 60;  // more would cover each other
constexpr std::size_t kLongestLabel = 18;

double height_of(const StackedBars& chart, std::size_t bar) {
    double sum = 0.0;
    for (const Part& part : chart.parts) sum += part.values[bar];
    return sum;
}

// Ticks, grid and the axis' title; what a unit of the drawing is worth.
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
        const std::string tip = chart.bars.size() > kMostTips
                                    ? ""
                                    : chart.bars[bar] + ": " + chart.parts[p].name + " " +
                                          tick_text(value / prefix.factor) + " " + prefix.symbol + chart.axis.unit;
        canvas.box(box.left, y, box.width(), height, colour_of(p), tip);
    }
}

}  // namespace

void draw(Canvas& canvas, const StackedBars& all, const Size& size) {
    const StackedBars chart = binned(all, kMostBars);
    std::vector<std::pair<std::string, std::string>> names;
    for (std::size_t p = 0; p < chart.parts.size(); ++p) names.emplace_back(chart.parts[p].name, colour_of(p));
    const double top = legend(canvas, names, size, 42.0);
    const Frame frame{70.0, top, static_cast<double>(size.width) - 15.0, static_cast<double>(size.height) - 95.0};
    double largest = 0.0;
    for (std::size_t i = 0; i < chart.bars.size(); ++i) largest = std::max(largest, height_of(chart, i));
    const Prefix prefix = prefix_for(largest);
    const double unit = draw_axis(canvas, chart, frame, prefix);
    if (chart.bars.empty()) return;
    const double step = frame.width() / static_cast<double>(chart.bars.size());
    const double gap = std::min(step * 0.2, 12.0);
    const std::size_t every = (chart.bars.size() + kMostLabels - 1) / kMostLabels;
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        const double x = frame.left + step * static_cast<double>(i);
        draw_bar(canvas, chart, i, {x + gap / 2.0, frame.top, x + step - gap / 2.0, frame.bottom}, unit, prefix);
        if (i % every == 0)
            canvas.text(x + step / 2.0 + 4.0, frame.bottom + 12.0, shortened(chart.bars[i], kLongestLabel),
                        {.anchor = Anchor::end, .size = 10, .rotation = -50});
    }
    canvas.line(frame.left, frame.bottom, frame.right, frame.bottom);
}

}  // namespace tilewright::plot
