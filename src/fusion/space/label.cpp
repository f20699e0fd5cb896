#include "fusion/space/label.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

namespace tilewright::fusion {

namespace {

// Of labels that cost no more: by words throughout, ascending, the least peak; peaks descend.
class Stairs {
   public:
    /// Adds the label unless one takes no more of both.
    bool add(const Label& label) {
        auto stair = std::ranges::upper_bound(stairs_, label.throughout, {}, &Stair::throughout);
        if (stair != stairs_.begin() && std::prev(stair)->peak <= label.peak) return false;
        auto end = stair;
        while (end != stairs_.end() && end->peak >= label.peak) ++end;
        if (stair != stairs_.begin() && std::prev(stair)->throughout == label.throughout) --stair;
        if (stair == end) {
            stairs_.insert(stair, {label.throughout, label.peak});
        } else {
            *stair = {label.throughout, label.peak};
            stairs_.erase(stair + 1, end);
        }
        return true;
    }

   private:
    struct Stair {
        std::int64_t throughout = 0;
        std::int64_t peak = 0;
    };
    std::vector<Stair> stairs_;
};

}  // namespace

void prune(std::vector<Label>& labels, const Weights& weights) {
    if (labels.size() < 2) return;
    std::ranges::sort(labels, [&](const Label& a, const Label& b) {
        if (a.value != b.value) return a.value < b.value;
        const auto rest = [&](const Label& l) {
            return std::tuple(weights.tie(l.energy_pj, l.cycles), l.throughout, l.peak, l.decision, l.other);
        };
        return rest(a) < rest(b);
    });
    Stairs stairs;
    std::erase_if(labels, [&](const Label& label) { return !stairs.add(label); });
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
