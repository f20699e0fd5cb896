// The labels of one node by ascending least cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tilewright::optimal {

/// Inserts `mine` unless a label of no greater least cost dominates it, and drops the labels it dominates; then keeps
/// the `most` cheapest. False: dominated.
///
/// `least_pj` of an entry is its label's least cost. A label of greater least cost may still end cheaper: the order
/// only directs the comparisons, one direction of dominance per pair.
template <typename Entry, typename IsBetter, typename IsWorse>
bool insert_undominated(std::vector<Entry>& bucket, const Entry& mine, std::size_t most, const IsBetter& is_better,
                        const IsWorse& is_worse) {
    const auto dearer = std::upper_bound(bucket.begin(), bucket.end(), mine.least_pj,
                                         [](double cost, const Entry& entry) { return cost < entry.least_pj; });
    if (std::any_of(bucket.begin(), dearer, is_better)) return false;
    const auto dead = std::remove_if(dearer, bucket.end(), is_worse);
    const auto at = bucket.erase(dead, bucket.end()) - (dead - dearer);
    bucket.insert(at, mine);
    if (bucket.size() > most) bucket.pop_back();
    return true;
}

}  // namespace tilewright::optimal
