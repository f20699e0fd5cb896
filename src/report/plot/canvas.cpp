#include "report/plot/canvas.hpp"

#include <fmt/format.h>

#include <array>

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

std::string colour_of(std::size_t k) {
    constexpr std::array kColours{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c",
                                  "#7fb8d8", "#f2cf80", "#80cfb9", "#e6bcd3", "#abd9f4", "#eaaf80", "#c6c6c6"};
    return kColours[k % kColours.size()];
}

Canvas::Canvas(const Size& size, const std::string& title)
    : text_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" "
                        "aria-label=\"{}\" font-family=\"sans-serif\">\n",
                        size.width, size.height, escaped(title))) {}

void Canvas::line(double x1, double y1, double x2, double y2, const std::string& stroke, double opacity) {
    text_ += fmt::format(
        "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\" stroke-opacity=\"{}\"/>\n", x1, y1,
        x2, y2, stroke, opacity);
}

void Canvas::text(double x, double y, const std::string& text, const TextStyle& style) {
    const std::string turn =
        style.rotation == 0 ? "" : fmt::format(" transform=\"rotate({} {:.2f} {:.2f})\"", style.rotation, x, y);
    text_ += fmt::format(
        "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"currentColor\"{}>{}</text>\n", x, y,
        style.size, name_of(style.anchor), turn, escaped(text));
}

void Canvas::box(double x, double y, double width, double height, const std::string& fill, const std::string& tip) {
    text_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\">{}</rect>\n",
                         x, y, width, height, fill, tip_element(tip));
}

void Canvas::dot(double x, double y, const std::string& fill, const std::string& tip) {
    text_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4\" fill=\"{}\" fill-opacity=\"0.75\">{}</circle>\n",
                         x, y, fill, tip_element(tip));
}

void Canvas::path(const std::vector<std::pair<double, double>>& points, const std::string& stroke) {
    std::string list;
    for (const auto& [x, y] : points) list += fmt::format("{}{:.2f},{:.2f}", list.empty() ? "" : " ", x, y);
    text_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", list, stroke);
}

std::string Canvas::take() { return std::move(text_ += "</svg>\n"); }

double legend(Canvas& canvas, const std::vector<std::pair<std::string, std::string>>& entries, const Size& size,
              double top) {
    constexpr double kRow = 18.0;
    constexpr double kLetter = 6.8;  // of a 12-unit font, on average
    constexpr double kLeft = 70.0;
    constexpr std::size_t kLongest = 40;
    double x = kLeft;
    double y = top;
    for (const auto& [name, colour] : entries) {
        const std::string label = shortened(name, kLongest);
        const double width = 30.0 + kLetter * static_cast<double>(label.size());
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

std::string svg(const Chart& chart, const Size& size) {
    Canvas canvas(size, title_of(chart));
    canvas.text(70.0, 20.0, title_of(chart), {.size = 15});
    std::visit([&](const auto& one) { draw(canvas, one, size); }, chart);
    return canvas.take();
}

}  // namespace tilewright::plot
