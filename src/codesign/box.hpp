// A box of machines: a range of value positions for every knob of a space. Bounds hold for all its points.
//
//     const Box all = whole(space);                     // every point
//     const auto [low, high] = halves(all, 2);          // cut in the middle of knob 2
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "explore/space.hpp"

namespace tilewright::codesign {

/// Positions low to high - 1 of a knob's values.
struct Range {
    std::uint32_t low = 0;
    std::uint32_t high = 0;

    std::uint32_t size() const { return high - low; }
    auto operator<=>(const Range&) const = default;
};

/// By knob. Never empty along any.
struct Box {
    std::vector<Range> ranges;

    auto operator<=>(const Box&) const = default;
};

Box whole(const explore::Space& space);
/// Of that point alone.
Box box_of(explore::Point point, const explore::Space& space);

/// Points in the box. Defined here because reports count points without linking a search.
inline std::int64_t count(const Box& box) {
    std::int64_t points = 1;
    for (const Range& range : box.ranges) points *= range.size();
    return points;
}
inline bool is_single(const Box& box) { return count(box) == 1; }

/// The point at the low end of all ranges: of a box of one point that point.
explore::Point first_point(const Box& box, const explore::Space& space);
bool contains(const Box& box, const explore::Space& space, explore::Point point);

/// Requires at least two values of that knob.
std::pair<Box, Box> halves(const Box& box, std::size_t knob);

/// Calls `visit` with every combination of these knobs' positions in the box, by knob; others are at their lowest.
template <class Visit>
void for_each_combination(const Box& box, const std::vector<std::size_t>& knobs, const Visit& visit) {
    std::vector<std::uint32_t> positions;
    for (const Range& range : box.ranges) positions.push_back(range.low);
    while (true) {
        visit(positions);
        std::size_t at = knobs.size();
        while (at > 0 && ++positions[knobs[at - 1]] == box.ranges[knobs[at - 1]].high) {
            positions[knobs[at - 1]] = box.ranges[knobs[at - 1]].low;
            --at;
        }
        if (at == 0) return;
    }
}

/// "0-3 7 2-2": its name in a journal.
std::string text_of(const Box& box);

}  // namespace tilewright::codesign
