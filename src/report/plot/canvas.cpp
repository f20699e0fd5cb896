#include "report/plot/canvas.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "base/numbers/hash.hpp"

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

namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

// Length of the well-formed UTF-8 sequence at the start of `text`, and its character; 0 if none.
struct Character {
    std::size_t length = 0;
    std::uint32_t code = 0;
};

Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) return {1, lead};
    const std::size_t length = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    if (length == 0 || lead >= 0xF5 || text.size() < length) return {};
    std::uint32_t code = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3FU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return overlong || surrogate || code > 0x10FFFF ? Character{} : Character{length, code};
}

bool is_harmful(std::uint32_t code) {
    const bool control = (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0);
    const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return control || turns || code == 0xFFFE || code == 0xFFFF;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const Character next = first_character(text);
        if (next.length == 0 || is_harmful(next.code))
            out += kReplacement;
        else if (next.code == '&')
            out += "&amp;";
        else if (next.code == '<')
            out += "&lt;";
        else if (next.code == '>')
            out += "&gt;";
        else if (next.code == '"')
            out += "&quot;";
        else if (next.code == '\'')
            out += "&#39;";
        else
            out += text.substr(0, next.length);
        text.remove_prefix(next.length == 0 ? 1 : next.length);
    }
    return out;
}

std::string shortened(const std::string& text, std::size_t most) {
    std::size_t end = 0;
    std::size_t before_last = 0;
    for (std::size_t count = 0; end < text.size(); ++count) {
        if (count == most) return text.substr(0, before_last) + "\xE2\x80\xA6";
        before_last = end;
        const std::size_t length = first_character(std::string_view(text).substr(end)).length;
        end += length == 0 ? 1 : length;
    }
    return text;
}

namespace {

using Rgb = std::array<int, 3>;

Rgb rgb_of(std::string_view colour) {
    Rgb rgb{};
    for (std::size_t i = 0; i < 3; ++i) rgb.at(i) = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16);
    return rgb;
}

std::string between(std::string_view from, std::string_view to, double share) {
    const Rgb a = rgb_of(from);
    const Rgb b = rgb_of(to);
    const auto mixed = [&](std::size_t i) {
        return static_cast<int>(std::lround(a.at(i) + (b.at(i) - a.at(i)) * share));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2));
}

constexpr const char* kWeight = "#3b6fb6";
constexpr const char* kInput = "#2a9d8f";
constexpr const char* kResult = "#e0a030";
constexpr const char* kPartialSum = "#8c5a2b";
constexpr const char* kArithmetic = "#6b7280";
constexpr const char* kVector = "#4f7f8c";
constexpr const char* kLeakage = "#a89f91";

using Named = std::pair<const char*, const char*>;

constexpr std::array kKnown{Named{"compute units", kArithmetic},
                            Named{"vector unit", kVector},
                            Named{"vector unit at work", kVector},
                            Named{"arithmetic", kArithmetic},
                            Named{"all units at work", kArithmetic},
                            Named{"ideal", kArithmetic},
                            Named{"operation", kArithmetic},
                            Named{"idle units", "#c3c8d0"},
                            Named{"waiting", "#b5533c"},
                            Named{"latency of the wires", "#8a6d3b"},
                            Named{"leakage", kLeakage},
                            Named{"tensors that stay", kLeakage},
                            Named{"operand 1", kWeight},
                            Named{"weight", kWeight},
                            Named{"load weight", kWeight},
                            Named{"weight, for the first time", kWeight},
                            Named{"operand 2", kInput},
                            Named{"input", kInput},
                            Named{"load input", kInput},
                            Named{"input, for the first time", kInput},
                            Named{"operand 3", kPartialSum},
                            Named{"spill partial sum", kPartialSum},
                            Named{"partial sums, out and back", kPartialSum},
                            Named{"result", kResult},
                            Named{"output", kResult},
                            Named{"store output", kResult},
                            Named{"output, stored", kResult}};

// Repeated work is lighter.
constexpr std::array kAgain{Named{"weight, again", kWeight}, Named{"input, again", kInput},
                            Named{"load partial sum", kPartialSum}};

}  // namespace

std::string known_colour(const std::string& name) {
    for (const auto& [known, colour] : kKnown)
        if (name == known) return colour;
    for (const auto& [known, colour] : kAgain)
        if (name == known) return tint(colour);
    return "";
}

std::string kind_colour(const std::vector<std::string>& kinds, std::size_t k) {
    const std::string known = known_colour(kinds[k]);
    return known.empty() ? colour_of(k) : known;
}

std::string colour_of(std::size_t k) {
    constexpr std::array<const char*, kColours> kAll{
        "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#695a1e", "#a5c34b", "#b40f3c", "#783ca5",
        "#f0b487", "#1e6900", "#b4a5ff", "#1e6969", "#874b4b", "#a5c396", "#a50069", "#5ad2d2", "#ff7869", "#694b78",
        "#f087f0", "#005ac3", "#4bd278", "#964b1e", "#968700", "#ff6996", "#3c693c", "#9696c3"};
    return kAll.at(k % kAll.size());
}

namespace {

using Stops = std::array<const char*, 4>;

std::string on_ramp(const Stops& stops, double place) {
    const double at = std::clamp(place, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
    const std::size_t stop = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    return between(stops.at(stop), stops.at(stop + 1), at - static_cast<double>(stop));
}

}  // namespace

std::string ramp_colour(double place) { return on_ramp({"#43388f", "#8750b0", "#c767a6", "#f0a3b4"}, place); }

std::string other_ramp_colour(double place) { return on_ramp({"#1d4d2b", "#4c8c3f", "#9ab54a", "#d8c98a"}, place); }

std::string tint(const std::string& colour) { return between(colour, "#ffffff", 0.5); }

}  // namespace tilewright::plot
