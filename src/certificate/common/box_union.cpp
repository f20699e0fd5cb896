#include "certificate/common/box_union.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tilewright::certificate {
namespace {

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
