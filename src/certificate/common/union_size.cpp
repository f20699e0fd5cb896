#include "certificate/common/union_size.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tilewright::certificate {
namespace {

struct Interval {
    double begin = 0.0;
    double end = 0.0;
};

// Intervals in order, adjacent ones joined.
std::vector<Interval> joined(std::vector<Interval> intervals) {
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    std::vector<Interval> joined;
    for (const Interval& interval : intervals) {
        if (joined.empty() || interval.begin > joined.back().end)
            joined.push_back(interval);
        else
            joined.back().end = std::max(joined.back().end, interval.end);
    }
    return joined;
}

double length(const std::vector<Interval>& intervals) {
    double length = 0.0;
    for (const Interval& interval : intervals) length += interval.end - interval.begin;
    return length;
}

std::vector<Interval> repeated(const std::vector<Interval>& intervals, const Copies& copies) {
    std::vector<Interval> all;
    const auto count = static_cast<std::int64_t>(copies.count);  // whole
    for (std::int64_t i = 0; i < count; ++i) {
        const double offset = static_cast<double>(i) * copies.step;
        for (const Interval& interval : intervals) all.push_back({interval.begin + offset, interval.end + offset});
    }
    return joined(std::move(all));
}

/// Copies of this span never meet. By rising step.
bool are_clear(double span, std::span<const Copies> copies) {
    for (const Copies& more : copies) {
        if (more.step < span) return false;
        span += more.step * (more.count - 1.0);
    }
    return true;
}

double times(std::span<const Copies> copies) {
    double product = 1.0;
    for (const Copies& more : copies) product *= more.count;
    return product;
}

// Along one rank. A dimension the instance has in part may lie anywhere: counts either all its positions, or its share
// with all positions disjoint.
double along_rank(const Addresses& tensor, std::size_t rank, const Box& tile, const Box& share, const Box& extents) {
    std::uint32_t shared_out = 0;
    for (std::uint32_t left = tensor.dims[rank]; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        if (share[d] > tile[d] && share[d] < extents[d]) shared_out |= 1U << d;
    }
    double least = 0.0;
    for (std::uint32_t clear = shared_out;; clear = (clear - 1) & shared_out) {
        double apart = 1.0;
        std::vector<Copies> copies;
        for (std::uint32_t left = tensor.dims[rank]; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            if (share[d] <= tile[d]) continue;
            if ((clear >> d & 1U) != 0)
                apart *= share[d] / tile[d];
            else
                copies.push_back({std::abs(tensor.ranks[rank][d]) * tile[d], extents[d] / tile[d]});
        }
        const double width = tensor.width(rank, tile);
        const double words = apart * union_size(width, copies).value_or(width * times(copies));
        least = clear == shared_out ? words : std::min(least, words);
        if (clear == 0) return least;
    }
}

/// Number of boxes over each word of their bounding box.
class Covered {
   public:
    Covered(std::span<const double> widths, std::span<const BoxCopies> copies) : widths_(widths), copies_(copies) {
        std::size_t cells = 1;
        std::size_t first = 0;
        for (std::size_t r = 0; r < widths.size(); ++r) {
            double before = 0.0;
            double around = widths[r];
            for (const BoxCopies& more : copies) {
                const double moved = more.step[r] * (more.count - 1.0);
                before = std::min(before, before + moved);
                around += std::abs(moved);
            }
            strides_.push_back(cells);
            sizes_.push_back(static_cast<std::size_t>(around) + 1);  // borders lie behind the last word, too
            first += strides_.back() * static_cast<std::size_t>(-before);
            cells *= sizes_.back();
        }
        count_.resize(cells);
        mark(0, first);
        for (std::size_t r = 0; r < widths.size(); ++r) sum_along(r);
    }

    double words() const {
        return static_cast<double>(std::ranges::count_if(count_, [](std::int64_t boxes) { return boxes > 0; }));
    }

   private:
    void mark(std::size_t copy, std::size_t at) {
        if (copy == copies_.size()) return mark_corners(0, at, 1);
        std::ptrdiff_t by = 0;
        for (std::size_t r = 0; r < widths_.size(); ++r)
            by += static_cast<std::ptrdiff_t>(copies_[copy].step[r]) * static_cast<std::ptrdiff_t>(strides_[r]);
        const auto count = static_cast<std::ptrdiff_t>(copies_[copy].count);
        for (std::ptrdiff_t i = 0; i < count; ++i)
            mark(copy + 1, static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at) + i * by));
    }

    // A box begins at one corner and ends behind the others: sums along every rank give its box.
    void mark_corners(std::size_t rank, std::size_t at, std::int64_t sign) {
        if (rank == widths_.size()) {
            count_[at] += sign;
            return;
        }
        mark_corners(rank + 1, at, sign);
        mark_corners(rank + 1, at + strides_[rank] * static_cast<std::size_t>(widths_[rank]), -sign);
    }

    void sum_along(std::size_t rank) {
        const std::size_t stride = strides_[rank];
        for (std::size_t at = 0; at < count_.size(); ++at)
            if (at / stride % sizes_[rank] != 0) count_[at] += count_[at - stride];
    }

    std::span<const double> widths_;
    std::span<const BoxCopies> copies_;
    std::vector<std::size_t> strides_;
    std::vector<std::size_t> sizes_;
    std::vector<std::int64_t> count_;
};

}  // namespace

std::optional<double> union_size(double width, std::vector<Copies> copies) {
    std::sort(copies.begin(), copies.end(), [](const Copies& a, const Copies& b) { return a.step < b.step; });
    std::vector<Interval> intervals{{0.0, width}};
    for (std::size_t i = 0; i < copies.size(); ++i) {
        const Copies& more = copies[i];
        if (intervals.size() == 1 && more.step <= length(intervals)) {
            intervals.front().end += more.step * (more.count - 1.0);
            continue;
        }
        const std::span<const Copies> rest = std::span(copies).subspan(i);
        if (are_clear(intervals.back().end, rest)) return length(intervals) * times(rest);
        constexpr double kMost = 4096.0;
        if (static_cast<double>(intervals.size()) * more.count > kMost) return std::nullopt;
        intervals = repeated(intervals, more);
    }
    return length(intervals);
}

// Each further copy adds its excess over the end of those before: its shift, but at most the last piece.
double union_size_at_least(double width, std::vector<Copies> copies, std::span<const Copies> scattered) {
    std::sort(copies.begin(), copies.end(), [](const Copies& a, const Copies& b) { return a.step < b.step; });
    double words = width;
    double span = width;
    double last_piece = width;
    for (const Copies& more : copies) {
        if (more.step >= span)
            words *= more.count;
        else
            words += (more.count - 1.0) * std::min(more.step, last_piece);
        span += (more.count - 1.0) * more.step;
        if (words == span) last_piece = words;
    }
    for (const Copies& more : scattered) {
        if (more.count == 1.0) continue;
        if (more.step >= span)
            words *= more.count;
        else
            words += (more.count - 1.0) * std::min(more.step, last_piece);
        span = std::numeric_limits<double>::infinity();
    }
    return words;
}

double distinct_at_most(const Addresses& tensor, const Box& tile, const Box& share, const Box& extents) {
    const double all = tensor.words(extents);
    double product = 1.0;
    if (tensor.shares_dimensions()) {
        product = tensor.words(tile);
        for (std::uint32_t left = tensor.moving; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            product *= share[d] / tile[d];
        }
    } else {
        for (std::size_t r = 0; r < tensor.ranks.size(); ++r) product *= along_rank(tensor, r, tile, share, extents);
    }
    return std::min(all, product);
}

std::optional<double> box_union(std::span<const double> widths, std::span<const BoxCopies> copies) {
    double boxes = 1.0;
    for (const BoxCopies& more : copies) boxes *= more.count;
    double words = 1.0;
    for (std::size_t r = 0; r < widths.size(); ++r) {
        double around = widths[r] + 1.0;
        for (const BoxCopies& more : copies) around += std::abs(more.step[r]) * (more.count - 1.0);
        words *= around;
    }
    if (boxes > kMostMarked || words > kMostMarked) return std::nullopt;
    return Covered(widths, copies).words();
}

}  // namespace tilewright::certificate
