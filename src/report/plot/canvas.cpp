#include "report/plot/canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/numbers/hash.hpp"
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

constexpr int kSize = 10;  // of the font
constexpr double kMark = 4.5;
constexpr std::size_t kLongest = 44;

struct Place {
    double dx = 0.0;
    double dy = 0.0;
    Anchor anchor = Anchor::start;
};
constexpr std::array<Place, 4> kPlaces{
    {{7.0, 3.5, Anchor::start}, {-7.0, 3.5, Anchor::end}, {0.0, -8.0, Anchor::middle}, {0.0, 15.0, Anchor::middle}}};

Frame box_of(double x, double y, double width, Anchor anchor) {
    const double left = anchor == Anchor::start ? x : anchor == Anchor::end ? x - width : x - width / 2.0;
    return {left, y - kSize + 1.0, left + width, y + 3.0};
}

bool overlap(const Frame& a, const Frame& b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

Frame around(double x, double y) { return {x - kMark, y - kMark, x + kMark, y + kMark}; }

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

double text_width(const std::string& text, double size) { return 0.57 * size * static_cast<double>(text.size()); }

void Labels::keep_free(double x, double y) { taken_.push_back(around(x, y)); }

void Labels::avoid(double x, double y) { lines_.push_back(around(x, y)); }

bool Labels::is_free(const Frame& box, bool of_lines) const {
    if (box.left < frame_.left || box.right > frame_.right || box.top < frame_.top || box.bottom > frame_.bottom)
        return false;
    const auto covers = [&](const Frame& one) { return overlap(one, box); };
    return std::ranges::none_of(taken_, covers) && !(of_lines && std::ranges::any_of(lines_, covers));
}

bool Labels::draw(Canvas& canvas, double x, double y, const std::string& text) {
    const std::string label = shortened(text, kLongest);
    for (const bool of_lines : {true, false})
        for (const Place& place : kPlaces) {
            const Frame box = box_of(x + place.dx, y + place.dy, text_width(label, kSize), place.anchor);
            if (!is_free(box, of_lines)) continue;
            canvas.text(x + place.dx, y + place.dy, label, {.anchor = place.anchor, .size = kSize});
            taken_.push_back(box);
            return true;
        }
    return false;
}

}  // namespace tilewright::plot
