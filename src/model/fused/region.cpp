#include "model/fused/region.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::fused {
namespace {

// Appends what `box` has outside `hole`: two slabs per axis at most.
void subtract(Box box, const Box& hole, std::vector<Box>& rest) {
    if (!intersection(box, hole)) {
        rest.push_back(box);
        return;
    }
    for (std::size_t a = 0; a < box.size(); ++a) {
        if (box[a].low < hole[a].low) {
            rest.push_back(box);
            rest.back()[a].high = hole[a].low - 1;
            box[a].low = hole[a].low;
        }
        if (box[a].high > hole[a].high) {
            rest.push_back(box);
            rest.back()[a].low = hole[a].high + 1;
            box[a].high = hole[a].high;
        }
    }
}

// The axis along which two boxes touch while they agree in all others, -1: they make up no box.
int joining_axis(const Box& a, const Box& b) {
    int axis = -1;
    for (int i = 0; i < kMaxAxes; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (a[at] == b[at]) continue;
        if (axis >= 0 || (a[at].high + 1 != b[at].low && b[at].high + 1 != a[at].low)) return -1;
        axis = i;
    }
    return axis;
}

}  // namespace

std::optional<Box> box_of(const std::vector<Interval>& axes) {
    Box box{};
    box.fill({0, 0});
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (axes[a].empty()) return std::nullopt;
        box.at(a) = axes[a];
    }
    return box;
}

std::int64_t words(const Box& box) {
    std::int64_t product = 1;
    for (const Interval& axis : box) product = checked_mul(product, axis.high - axis.low + 1);
    return product;
}

std::optional<Box> intersection(const Box& a, const Box& b) {
    Box common{};
    for (std::size_t i = 0; i < common.size(); ++i) {
        common[i] = {std::max(a[i].low, b[i].low), std::min(a[i].high, b[i].high)};
        if (common[i].empty()) return std::nullopt;
    }
    return common;
}

Box hull(const Box& a, const Box& b) {
    Box around{};
    for (std::size_t i = 0; i < around.size(); ++i)
        around[i] = {std::min(a[i].low, b[i].low), std::max(a[i].high, b[i].high)};
    return around;
}

void extend(std::optional<Box>& around, const std::optional<Box>& more) {
    if (more) around = around ? hull(*around, *more) : *more;
}

Box moved(Box box, const Place& by, std::int64_t times) {
    for (std::size_t a = 0; a < box.size(); ++a) {
        box[a].low += times * by[a];
        box[a].high += times * by[a];
    }
    return box;
}

std::int64_t words(const std::vector<Box>& boxes) {
    std::int64_t sum = 0;
    for (const Box& box : boxes) sum = checked_add(sum, words(box));
    return sum;
}

std::int64_t Region::words() const { return fused::words(boxes_); }

void Region::insert(Box box) {
    for (std::size_t i = 0; i < boxes_.size();) {
        if (joining_axis(box, boxes_[i]) < 0) {
            ++i;
            continue;
        }
        box = hull(box, boxes_[i]);
        boxes_.erase(boxes_.begin() + static_cast<std::ptrdiff_t>(i));
        i = 0;
    }
    boxes_.push_back(box);
}

void Region::add(const Box& box) {
    for (const Box& piece : missing(box)) insert(piece);
}

void Region::keep_only(const Box& box) {
    std::vector<Box> kept;
    for (const Box& one : boxes_)
        if (const std::optional<Box> common = intersection(one, box)) kept.push_back(*common);
    boxes_ = std::move(kept);
}

void Region::move(const Place& by, std::int64_t times) {
    for (Box& box : boxes_) box = moved(box, by, times);
}

std::vector<Box> Region::missing(const Box& box) const {
    std::vector<Box> rest{box};
    for (const Box& known : boxes_) {
        std::vector<Box> next;
        for (const Box& one : rest) subtract(one, known, next);
        rest = std::move(next);
        if (rest.empty()) break;
    }
    return rest;
}

}  // namespace tilewright::fused
