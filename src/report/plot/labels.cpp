#include "report/plot/labels.hpp"

#include <algorithm>
#include <array>

#include "report/plot/markup.hpp"

namespace tilewright::plot {
namespace {

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
