#include "fusion/space/label.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace tilewright::fusion {

void prune(std::vector<Label>& labels, const Weights& weights) {
    if (labels.size() < 2) return;
    std::ranges::sort(labels, {}, [&](const Label& l) {
        return std::tuple(l.value, weights.tie(l.energy_pj, l.cycles), l.throughout, l.peak, l.decision);
    });
    std::vector<Label> kept;
    std::map<std::int64_t, std::int64_t> least_peak;  // by words throughout, of labels that cost no more
    for (const Label& label : labels) {
        auto stair = least_peak.upper_bound(label.throughout);
        if (stair != least_peak.begin() && std::prev(stair)->second <= label.peak) continue;
        kept.push_back(label);
        while (stair != least_peak.end() && stair->second >= label.peak) stair = least_peak.erase(stair);
        least_peak[label.throughout] = label.peak;
    }
    labels.swap(kept);
}

MemberFront sum(const MemberFront& a, const MemberFront& b) {
    MemberFront front;
    if (a.empty() || b.empty()) return front;
    std::size_t i = 0;
    std::size_t j = 0;
    std::int64_t words = std::max(a[0].words, b[0].words);
    while (true) {
        while (i + 1 < a.size() && a[i + 1].words <= words) ++i;
        while (j + 1 < b.size() && b[j + 1].words <= words) ++j;
        front.push_back({words, a[i].value + b[j].value, a[i].energy_pj + b[j].energy_pj, a[i].cycles + b[j].cycles});
        std::int64_t next = std::numeric_limits<std::int64_t>::max();
        if (i + 1 < a.size()) next = a[i + 1].words;
        if (j + 1 < b.size()) next = std::min(next, b[j + 1].words);
        if (next == std::numeric_limits<std::int64_t>::max()) return front;
        words = next;
    }
}

}  // namespace tilewright::fusion
