#include <algorithm>

#include "report/plot/canvas.hpp"
#include "report/plot/ruler.hpp"

namespace tilewright::plot {
namespace {

constexpr std::size_t kMostBlockTips = 3000;  // a tip a box makes files large
constexpr std::size_t kLongestLabel = 36;
constexpr double kRowFilled = 0.8;  // of its height

struct Extent {
    double x = 0.0;
    double y = 0.0;
};

Extent extent_of(const Blocks& chart) {
    Extent extent;
    for (const Block& block : chart.blocks) {
        extent.x = std::max(extent.x, block.end);
        extent.y = std::max(extent.y, block.high);
    }
    if (!chart.rows.empty()) extent.y = static_cast<double>(chart.rows.size());
    if (!(extent.x > 0.0)) extent.x = 1.0;
    if (!(extent.y > 0.0)) extent.y = 1.0;
    return extent;
}

void draw_times(Canvas& canvas, const Frame& frame, const Axis& axis, double largest) {
    const Prefix prefix = axis.unit.empty() ? Prefix{} : prefix_for(largest);
    const std::vector<double> ticks = linear_ticks(largest, 8);
    for (const double tick : ticks) {
        if (tick > largest * 1.0001) continue;
        const double x = frame.left + tick / largest * frame.width();
        canvas.line(x, frame.top, x, frame.bottom, "currentColor", 0.2);
        canvas.text(x, frame.bottom + 16.0, tick_text(tick / prefix.factor), {.anchor = Anchor::middle, .size = 11});
    }
    canvas.text((frame.left + frame.right) / 2.0, frame.bottom + 38.0, axis_title(axis.label, axis.unit, prefix),
                {.anchor = Anchor::middle});
}

void draw_rows(Canvas& canvas, const Frame& frame, const std::vector<std::string>& rows) {
    const double height = frame.height() / static_cast<double>(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const double y = frame.top + height * static_cast<double>(r);
        canvas.line(frame.left, y + height, frame.right, y + height, "currentColor", 0.2);
        canvas.text(frame.left - 6.0, y + height / 2.0 + 4.0, shortened(rows[r], kLongestLabel),
                    {.anchor = Anchor::end, .size = 11});
    }
}

// Returns the upper end of the upright axis.
double draw_ranges(Canvas& canvas, const Frame& frame, const Axis& axis, double largest) {
    const Prefix prefix = axis.unit.empty() ? Prefix{} : prefix_for(largest);
    const std::vector<double> ticks = linear_ticks(largest / prefix.factor, 5);
    for (const double tick : ticks) {
        const double y = frame.bottom - tick / ticks.back() * frame.height();
        canvas.line(frame.left, y, frame.right, y, "currentColor", 0.2);
        canvas.text(frame.left - 6.0, y + 4.0, tick_text(tick), {.anchor = Anchor::end, .size = 11});
    }
    canvas.text(16.0, (frame.top + frame.bottom) / 2.0, axis_title(axis.label, axis.unit, prefix),
                {.anchor = Anchor::middle, .rotation = -90});
    return ticks.back() * prefix.factor;
}

}  // namespace

void draw(Canvas& canvas, const Blocks& all, const Size& size) {
    std::vector<std::pair<std::string, std::string>> names;
    for (std::size_t k = 0; k < all.kinds.size(); ++k)
        if (std::ranges::any_of(all.blocks, [k](const Block& block) { return block.kind == k; }))
            names.emplace_back(all.kinds[k], kind_colour(all.kinds, k));
    const double top = legend(canvas, names, size, 42.0);
    double left = 90.0;
    for (const std::string& row : all.rows) left = std::max(left, 16.0 + text_width(shortened(row, kLongestLabel), 11));
    const Frame frame{left, top, static_cast<double>(size.width) - 25.0, static_cast<double>(size.height) - 50.0};
    const Extent extent = extent_of(all);
    const Blocks chart = merged(all, extent.x / frame.width());
    const bool in_rows = !chart.rows.empty();
    draw_times(canvas, frame, chart.x, extent.x);
    if (in_rows) draw_rows(canvas, frame, chart.rows);
    const double highest = in_rows ? extent.y : draw_ranges(canvas, frame, chart.y, extent.y);
    const bool tips = chart.blocks.size() <= kMostBlockTips;
    for (const Block& block : chart.blocks) {
        const double x = frame.left + block.begin / extent.x * frame.width();
        const double width = std::max((block.end - block.begin) / extent.x * frame.width(), 0.3);
        const double height = (block.high - block.low) / highest * frame.height();
        const double place = block.low / highest * frame.height();
        const double y =
            in_rows ? frame.top + place + height * (1.0 - kRowFilled) / 2.0 : frame.bottom - place - height;
        canvas.box(x, y, width, in_rows ? height * kRowFilled : height, kind_colour(chart.kinds, block.kind),
                   tips ? block.label : "");
    }
    canvas.line(frame.left, frame.bottom, frame.right, frame.bottom);
    canvas.line(frame.left, frame.top, frame.left, frame.bottom);
}

}  // namespace tilewright::plot
