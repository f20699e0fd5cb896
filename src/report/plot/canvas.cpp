#include "report/plot/canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/numbers/hash.hpp"
#include "report/plot/labels.hpp"
#include "report/plot/markup.hpp"

namespace tilewright::plot {
namespace {

const char* name_of(Anchor anchor) {
    switch (anchor) {
        case Anchor::start: return "start";
        case Anchor::middle: return "middle";
        case Anchor::end: return "end";
    }
    return "start";
}

std::string tip_element(const std::string& tip) { return tip.empty() ? "" : "<title>" + escaped(tip) + "</title>"; }

}  // namespace

Canvas::Canvas(const Size& size, const std::string& title)
    : text_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" "
                        "aria-label=\"{}\" font-family=\"sans-serif\">\n",
                        size.width, size.height, escaped(title))) {}

void Canvas::line(double x1, double y1, double x2, double y2, const std::string& stroke, double opacity) {
    text_ += fmt::format(
        "<line x1=\"{:.5g}\" y1=\"{:.5g}\" x2=\"{:.5g}\" y2=\"{:.5g}\" stroke=\"{}\" stroke-opacity=\"{}\"/>\n", x1, y1,
        x2, y2, stroke, opacity);
}

void Canvas::text(double x, double y, const std::string& text, const TextStyle& style) {
    const std::string turn =
        style.rotation == 0 ? "" : fmt::format(" transform=\"rotate({} {:.5g} {:.5g})\"", style.rotation, x, y);
    text_ += fmt::format(
        "<text x=\"{:.5g}\" y=\"{:.5g}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"currentColor\"{}>{}</text>\n", x, y,
        style.size, name_of(style.anchor), turn, escaped(text));
}

void Canvas::box(double x, double y, double width, double height, const std::string& fill, const std::string& tip) {
    text_ += fmt::format("<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.5g}\" height=\"{:.5g}\" fill=\"{}\">{}</rect>\n",
                         x, y, width, height, fill, tip_element(tip));
}

void Canvas::dot(double x, double y, const std::string& fill, const std::string& tip) {
    text_ += fmt::format("<circle cx=\"{:.5g}\" cy=\"{:.5g}\" r=\"4\" fill=\"{}\" fill-opacity=\"0.75\">{}</circle>\n",
                         x, y, fill, tip_element(tip));
}

void Canvas::path(const std::vector<std::pair<double, double>>& points, const std::string& stroke) {
    std::string list;
    for (const auto& [x, y] : points) list += fmt::format("{}{:.5g},{:.5g}", list.empty() ? "" : " ", x, y);
    text_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", list, stroke);
}

void Canvas::begin_around(const std::vector<Frame>& boxes, const Size& size) {
    if (boxes.empty()) return;
    std::string holes;
    for (const Frame& box : boxes)
        holes += fmt::format("<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.5g}\" height=\"{:.5g}\"/>", box.left, box.top,
                             box.width(), box.height());
    const std::string name = "around-" + content_hash(text_ + holes).substr(0, 12);  // unique in a page of several
    text_ += fmt::format(
        "<mask id=\"{}\" maskUnits=\"userSpaceOnUse\" x=\"0\" y=\"0\" width=\"{}\" height=\"{}\">"
        "<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>{}</mask>\n<g mask=\"url(#{})\">\n",
        name, size.width, size.height, size.width, size.height, holes, name);
}

void Canvas::end_around(const std::vector<Frame>& boxes) {
    if (!boxes.empty()) text_ += "</g>\n";
}

std::string Canvas::take() { return std::move(text_ += "</svg>\n"); }

double legend(Canvas& canvas, const std::vector<std::pair<std::string, std::string>>& entries, const Size& size,
              double top) {
    constexpr double kRow = 18.0;
    constexpr double kAround = 33.0;  // of a name: its square and margin
    constexpr double kLeft = 70.0;
    constexpr std::size_t kLongest = 60;
    double x = kLeft;
    double y = top;
    std::set<std::string> said;
    for (const auto& [name, colour] : entries) {
        if (!said.insert(name).second) continue;
        const std::string label = shortened(name, kLongest);
        const double width = kAround + text_width(label, 12);
        if (x > kLeft && x + width > static_cast<double>(size.width)) {
            x = kLeft;
            y += kRow;
        }
        canvas.box(x, y - 10.0, 12.0, 12.0, colour, "");
        canvas.text(x + 17.0, y, label);
        x += width;
    }
    return entries.empty() ? top : y + kRow;
}

namespace {

// Maps or charts of many rows get the height of their names.
Size fitted(const Chart& chart, Size size) {
    constexpr int kRow = 13;
    constexpr int kAround = 240;
    constexpr std::size_t kMostRows = 200;
    std::size_t rows = 0;
    if (const auto* map = std::get_if<HeatMap>(&chart)) rows = map->rows.size();
    if (const auto* blocks = std::get_if<Blocks>(&chart)) rows = blocks->rows.size();
    size.height = std::max(size.height, kAround + kRow * static_cast<int>(std::min(rows, kMostRows)));
    return size;
}

}  // namespace

std::string svg(const Chart& chart, const Size& wanted) {
    const Size size = fitted(chart, wanted);
    Canvas canvas(size, title_of(chart));
    canvas.text(70.0, 20.0, title_of(chart), {.size = 15});
    std::visit([&](const auto& one) { draw(canvas, one, size); }, chart);
    return canvas.take();
}

}  // namespace tilewright::plot
