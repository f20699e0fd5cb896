#include "codesign/box.hpp"

namespace tilewright::codesign {

Box whole(const explore::Space& space) {
    Box box;
    for (const explore::Knob& knob : space.knobs())
        box.ranges.push_back({0, static_cast<std::uint32_t>(knob.values.size())});
    return box;
}

Box box_of(explore::Point point, const explore::Space& space) {
    Box box;
    for (std::size_t knob = 0; knob < space.knobs().size(); ++knob) {
        const auto at = static_cast<std::uint32_t>(space.position(point, knob));
        box.ranges.push_back({at, at + 1});
    }
    return box;
}

explore::Point first_point(const Box& box, const explore::Space& space) {
    explore::Point point = 0;
    for (std::size_t knob = 0; knob < box.ranges.size(); ++knob) point += space.stride(knob) * box.ranges[knob].low;
    return point;
}

bool contains(const Box& box, const explore::Space& space, explore::Point point) {
    for (std::size_t knob = 0; knob < box.ranges.size(); ++knob) {
        const std::size_t position = space.position(point, knob);
        if (position < box.ranges[knob].low || position >= box.ranges[knob].high) return false;
    }
    return true;
}

std::pair<Box, Box> halves(const Box& box, std::size_t knob) {
    std::pair<Box, Box> both{box, box};
    const Range range = box.ranges[knob];
    const std::uint32_t middle = range.low + range.size() / 2;
    both.first.ranges[knob].high = middle;
    both.second.ranges[knob].low = middle;
    return both;
}

std::string text_of(const Box& box) {
    std::string text;
    for (const Range& range : box.ranges)
        text += (text.empty() ? "" : " ") + std::to_string(range.low) + "-" + std::to_string(range.high - 1);
    return text;
}

}  // namespace tilewright::codesign
