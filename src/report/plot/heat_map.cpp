#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/plot/canvas.hpp"
#include "report/plot/ruler.hpp"

namespace tilewright::plot {
namespace {

constexpr std::size_t kLongestRow = 48;
constexpr std::size_t kLongestColumn = 32;

double left_of(const HeatMap& chart) {
    double widest = 100.0;
    for (const std::string& row : chart.rows) widest = std::max(widest, text_width(shortened(row, kLongestRow), 11));
    return widest + 16.0;
}

// From nearly white to dark blue; the square root keeps small values apart.
std::string shade(double share) {
    const double s = std::sqrt(std::clamp(share, 0.0, 1.0));
    const auto between = [s](double light, double dark) {
        return static_cast<int>(std::lround(light + (dark - light) * s));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", between(0xf3, 0x00), between(0xf7, 0x45), between(0xfb, 0x86));
}

double largest_of(const HeatMap& chart) {
    double largest = 0.0;
    for (const std::vector<double>& row : chart.cells)
        for (const double value : row) largest = std::max(largest, value);
    return largest;
}

// Names below the columns: turned if wider than a column.
struct ColumnNames {
    bool turned = false;
    double height = 40.0;
};

ColumnNames column_names(const HeatMap& chart, double column_width) {
    double widest = 0.0;
    for (const std::string& column : chart.columns)
        widest = std::max(widest, text_width(shortened(column, kLongestColumn), 10));
    if (widest < column_width - 4.0) return {};
    constexpr double kSlope = 0.77;  // sine of 50 degrees
    return {true, 24.0 + kSlope * widest};
}

// Colour scale: from 0 to the largest value, at the right of the title.
void draw_scale(Canvas& canvas, const HeatMap& chart, double largest, const Prefix& prefix, double right) {
    constexpr int kSteps = 24;
    constexpr double kStep = 5.0;
    const std::string most = tick_text(largest / prefix.factor);
    const std::string title = axis_title(chart.value.label, chart.value.unit, prefix) + "  0";
    const double left = right - text_width(most, 11) - 6.0 - kSteps * kStep;
    canvas.text(left - 6.0, 42.0, title, {.anchor = Anchor::end, .size = 11});
    for (int i = 0; i < kSteps; ++i) canvas.box(left + kStep * i, 32.0, kStep, 12.0, shade((i + 0.5) / kSteps), "");
    canvas.text(right, 42.0, most, {.anchor = Anchor::end, .size = 11});
}

}  // namespace

void draw(Canvas& canvas, const HeatMap& chart, const Size& size) {
    const double largest = largest_of(chart);
    const Prefix prefix = prefix_for(largest);
    const double left = left_of(chart);
    const double right = static_cast<double>(size.width) - 15.0;
    draw_scale(canvas, chart, largest, prefix, right);
    const double width = (right - left) / static_cast<double>(std::max<std::size_t>(chart.columns.size(), 1));
    const ColumnNames names = column_names(chart, width);
    const Frame frame{left, 55.0, right, static_cast<double>(size.height) - names.height};
    const double height = frame.height() / static_cast<double>(std::max<std::size_t>(chart.rows.size(), 1));
    const std::size_t every = chart.columns.size() / 60 + 1;
    for (std::size_t r = 0; r < chart.rows.size(); ++r) {
        const double y = frame.top + height * static_cast<double>(r);
        canvas.text(frame.left - 6.0, y + height / 2.0 + 4.0, shortened(chart.rows[r], kLongestRow),
                    {.anchor = Anchor::end, .size = 11});
        for (std::size_t c = 0; c < chart.columns.size(); ++c) {
            const double value = chart.cells[r][c];
            const std::string figure = tick_text(value / prefix.factor);
            canvas.box(
                frame.left + width * static_cast<double>(c), y, width, height,
                shade(largest > 0.0 ? value / largest : 0.0),
                chart.rows[r] + ", " + chart.columns[c] + ": " + figure + " " + prefix.symbol + chart.value.unit);
        }
    }
    for (std::size_t c = 0; c < chart.columns.size(); c += every) {
        const double x = frame.left + width * (static_cast<double>(c) + 0.5);
        const std::string name = shortened(chart.columns[c], kLongestColumn);
        if (names.turned)
            canvas.text(x + 4.0, frame.bottom + 12.0, name, {.anchor = Anchor::end, .size = 10, .rotation = -50});
        else
            canvas.text(x, frame.bottom + 16.0, name, {.anchor = Anchor::middle, .size = 10});
    }
}

}  // namespace tilewright::plot
