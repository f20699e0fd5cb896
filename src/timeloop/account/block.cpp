#include "timeloop/account/block.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/numbers/checked.hpp"
#include "timeloop/account/pattern.hpp"

namespace tilewright::account {
namespace {

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
