#include "timeloop/account/block.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "base/numbers/checked.hpp"

namespace tilewright::account {
namespace {

// Parts of a spatial block's elements derived from element 0's: each is its neighbour's, displaced by one step of the
// loop between them.

/// Trips of a block's loop: the remainder if all outer loops of its dimension, the block's included, are at their last
/// iteration.
class BlockTrips {
   public:
    BlockTrips(const Nest& nest, const SpatialBlock& block, std::uint32_t at_last)
        : nest_(nest), block_(block), at_last_(at_last), index_(static_cast<std::size_t>(block.master + 1), 0) {}

    std::int64_t trips(int level) const;
    void set_index(int level, std::int64_t index) { index_[level] = index; }
    std::int64_t index(int level) const { return index_[level]; }

   private:
    const Nest& nest_;
    const SpatialBlock& block_;
    std::uint32_t at_last_;
    std::vector<std::int64_t> index_;
};

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

std::int64_t BlockTrips::trips(int level) const {
    const Loop& loop = nest_.loops[level].loop;
    if ((at_last_ >> loop.dimension & 1U) == 0) return loop.extent;
    for (int outer = level + 1; outer <= block_.master; ++outer) {
        const Loop& other = nest_.loops[outer].loop;
        if (other.dimension == loop.dimension && index_[outer] + 1 < other.remainder) return loop.extent;
    }
    return loop.remainder;
}

/// `at_last`: one bit per dimension, set if all its outer loops are at their last iteration. Groups stay empty.
BlockPattern make_pattern(const Nest& nest, const SpatialBlock& block, const std::vector<Projection>& projections,
                          std::uint32_t at_last) {
    return PatternMaker(nest, block, projections, at_last).run();
}

bool before(const Traffic& a, const Traffic& b) {
    return a.multicast != b.multicast ? a.multicast < b.multicast : a.scatter < b.scatter;
}

/// Rows of one mesh column in a multicast.
struct Reach {
    std::int64_t lowest;
    std::int64_t highest;
};

}  // namespace

void add(TrafficTable& table, const Traffic& traffic) {
    const auto at = std::lower_bound(table.begin(), table.end(), traffic, before);
    if (at == table.end() || before(traffic, *at)) {
        table.insert(at, traffic);
        return;
    }
    at->accesses += traffic.accesses;
    at->hops += traffic.hops;
    at->unicast_hops += traffic.unicast_hops;
}

double total_accesses(const TrafficTable& table) {
    double total = 0.0;
    for (const Traffic& traffic : table) total += traffic.accesses;
    return total;
}

std::int64_t words(const BoxSet& set, int ranks) {
    std::int64_t total = 0;
    for (const Box& box : set) total += words(box, ranks);
    return total;
}

Traffic MulticastGroups::traffic(std::int64_t words_per_group_word, std::int64_t epochs) const {
    const auto accesses = static_cast<double>(checked_mul(checked_mul(words, words_per_group_word), epochs));
    const auto groups = static_cast<double>(scatter);
    return {multicast, scatter, accesses, hops * accesses / groups, unicast_hops * accesses / groups};
}

BlockRules::BlockRules(const Nest& nest, const SpatialBlock& block, const std::vector<Projection>& projections,
                       TensorSet no_multicast, TensorSet no_links)
    : nest_(nest), block_(block), projections_(projections), no_multicast_(no_multicast), no_links_(no_links) {}

const BlockPattern& BlockRules::pattern(std::uint32_t at_last) {
    for (const auto& [key, pattern] : patterns_)
        if (key == at_last) return pattern;
    BlockPattern pattern = make_pattern(nest_, block_, projections_, at_last);
    BlockContents contents{.pattern = &pattern, .elements = pattern.elements, .sets = {}};
    for (std::size_t t = 0; t < projections_.size(); ++t) {
        contents.sets[t] = {{projections_[t].box({}, {})}};
        pattern.groups[t] = groups(contents, static_cast<int>(t), {});
    }
    return patterns_.emplace_back(at_last, std::move(pattern)).second;
}

MulticastGroups BlockRules::single_group(const std::vector<int>& elements, std::int64_t words) const {
    const double centre = static_cast<double>(block_.grid.y - 1) / 2;
    MulticastGroups group{static_cast<std::int64_t>(elements.size()), 1, words, 0.0, 0.0};
    std::map<std::int64_t, Reach> columns;
    for (const int element : elements) {
        const std::int64_t x = element % block_.grid.x;
        const std::int64_t y = element / block_.grid.x;
        group.hops = std::max(group.hops, static_cast<double>(x));
        Reach& reach = columns.try_emplace(x, Reach{y, y}).first->second;
        reach = {std::min(reach.lowest, y), std::max(reach.highest, y)};
        group.unicast_hops += static_cast<double>(x) + std::abs(static_cast<double>(y) - centre);
    }
    for (const auto& [x, reach] : columns) {
        group.hops += std::max(0.0, centre - static_cast<double>(reach.lowest));
        group.hops += std::max(0.0, static_cast<double>(reach.highest) - centre);
    }
    return group;
}

std::vector<MulticastGroups> BlockRules::groups(const BlockContents& contents, int tensor,
                                                const std::vector<char>& served) const {
    const int ranks = projections_[tensor].ranks();
    std::vector<int> order;
    for (int k = 0; k < contents.elements; ++k)
        if ((served.empty() || served[k] == 0) && !contents.set(tensor, k).empty()) order.push_back(k);
    const auto compared = [&](int a, int b) {
        if (contents.pattern != nullptr) return contents.offset(tensor, a) <=> contents.offset(tensor, b);
        return compare(contents.set(tensor, a), contents.offset(tensor, a), contents.set(tensor, b),
                       contents.offset(tensor, b));
    };
    const bool alone = no_multicast_.has(tensor);
    if (!alone) std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return compared(a, b) < 0; });
    std::vector<MulticastGroups> result;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        end = begin + 1;
        while (!alone && end < order.size() && compared(order[begin], order[end]) == 0) ++end;
        const std::vector<int> members(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                       order.begin() + static_cast<std::ptrdiff_t>(end));
        const MulticastGroups one = single_group(members, words(contents.set(tensor, members.front()), ranks));
        auto same = std::find_if(result.begin(), result.end(),
                                 [&](const MulticastGroups& other) { return other.multicast == one.multicast; });
        if (same == result.end()) same = result.insert(result.end(), {one.multicast, 0, 0, 0.0, 0.0});
        same->scatter += 1;
        same->words = checked_add(same->words, one.words);
        same->hops += one.hops;
        same->unicast_hops += one.unicast_hops;
    }
    return result;
}

std::int64_t BlockRules::passed_on(const BlockContents& now, const BlockContents& earlier, int tensor,
                                   std::vector<char>& served) const {
    served.assign(static_cast<std::size_t>(now.elements), 0);
    std::int64_t passed = 0;
    const auto had = [&](std::int64_t neighbour, int element) {
        if (neighbour >= earlier.elements) return false;
        const int k = static_cast<int>(neighbour);
        return compare(now.set(tensor, element), now.offset(tensor, element), earlier.set(tensor, k),
                       earlier.offset(tensor, k)) == 0;
    };
    const Mesh& grid = block_.grid;
    for (int k = 0; k < now.elements && k < grid.size(); ++k) {
        if (now.set(tensor, k).empty()) continue;
        const std::int64_t x = k % grid.x;
        const std::int64_t y = k / grid.x;
        if ((y > 0 && had(k - grid.x, k)) || (y < grid.y - 1 && had(k + grid.x, k)) || (x > 0 && had(k - 1, k)) ||
            (x < grid.x - 1 && had(k + 1, k))) {
            served[k] = 1;
            passed = checked_add(passed, words(now.set(tensor, k), projections_[tensor].ranks()));
        }
    }
    return passed;
}

}  // namespace tilewright::account
