// The labels of one node, by what they cost at least.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tilewright::optimal {

/// Keeps `mine`, unless a label that costs no more dominates it, and drops those that it dominates; then no more than
/// `most`, the cheapest. False: it is dominated.
///
/// An entry has the least cost of its label, `least_pj`. A label that costs more at least may end with less: only the
/// order of comparisons follows from it, and that dominance holds in one direction for each pair.
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
