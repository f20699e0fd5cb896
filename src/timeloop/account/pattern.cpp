#include "timeloop/account/pattern.hpp"

#include <algorithm>

namespace tilewright::account {
namespace {

/// Visits the elements in Timeloop's order. Indices are row-major over the current trip counts: with remainders two
/// visits may share an index, and the later one wins.
class PatternMaker {
   public:
    PatternMaker(const Nest& nest, const SpatialBlock& block, const std::vector<Projection>& projections,
                 std::uint32_t at_last)
        : nest_(nest), block_(block), projections_(projections), trips_(nest, block, at_last) {}

    BlockPattern run() {
        visit(block_.master, 0, 0, -1);
        return std::move(pattern_);
    }

   private:
    /// The element copies its neighbour `back` elements before it (0: element 0, no copy), one step of loop `mover`
    /// away.
    void visit(int level, std::int64_t base, std::int64_t back, int mover) {
        const std::int64_t trips = trips_.trips(level);
        base *= trips;
        if (level == block_.first) {
            row(level, trips, base, back, mover);
            return;
        }
        for (std::int64_t i = 0; i < trips; ++i) {
            trips_.set_index(level, i);
            if (i == 0)
                visit(level - 1, base, back * trips, mover);
            else
                visit(level - 1, base + i, 1, level);
        }
    }

    void row(int level, std::int64_t trips, std::int64_t base, std::int64_t back, int mover) {
        std::int64_t i = 0;
        if (back == 0) {
            place(base, -1, -1);
            back = 1;
            mover = level;
            i = 1;
        } else {
            back *= trips;
        }
        for (; i < trips; ++i) {
            trips_.set_index(level, i);
            place(base + i, base + i - back, mover);
        }
    }

    void place(std::int64_t element, std::int64_t neighbour, int mover) {
        pattern_.elements = std::max(pattern_.elements, static_cast<int>(element + 1));
        for (std::size_t t = 0; t < projections_.size(); ++t) {
            std::vector<Point>& offsets = pattern_.offsets[t];
            offsets.resize(static_cast<std::size_t>(pattern_.elements));
            offsets[element] =
                block_.first == 0 ? direct(projections_[t]) : copied(projections_[t], offsets, neighbour, mover);
        }
    }

    Point copied(const Projection& projection, const std::vector<Point>& offsets, std::int64_t neighbour,
                 int mover) const {
        if (mover < 0) return {};
        const NestLoop& loop = nest_.loops[mover];
        return sum(offsets[neighbour], projection.move(loop.loop.dimension, loop.stride));
    }

    /// A block of compute units: every element's operand is computed, not copied.
    Point direct(const Projection& projection) const {
        Point offset{};
        for (int level = block_.first; level <= block_.master; ++level) {
            const NestLoop& loop = nest_.loops[level];
            offset = sum(offset, projection.move(loop.loop.dimension, loop.stride * trips_.index(level)));
        }
        return offset;
    }

    const Nest& nest_;
    const SpatialBlock& block_;
    const std::vector<Projection>& projections_;
    BlockTrips trips_;
    BlockPattern pattern_;
};

}  // namespace

std::int64_t BlockTrips::trips(int level) const {
    const Loop& loop = nest_.loops[level].loop;
    if ((at_last_ >> loop.dimension & 1U) == 0) return loop.extent;
    for (int outer = level + 1; outer <= block_.master; ++outer) {
        const Loop& other = nest_.loops[outer].loop;
        if (other.dimension == loop.dimension && index_[outer] + 1 < other.remainder) return loop.extent;
    }
    return loop.remainder;
}

BlockPattern make_pattern(const Nest& nest, const SpatialBlock& block, const std::vector<Projection>& projections,
                          std::uint32_t at_last) {
    return PatternMaker(nest, block, projections, at_last).run();
}

}  // namespace tilewright::account
