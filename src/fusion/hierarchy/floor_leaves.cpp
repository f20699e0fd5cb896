#include "fusion/hierarchy/floor_leaves.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "fusion/hierarchy/alike.hpp"
#include "fusion/hierarchy/shared_buffer.hpp"

namespace tilewright::fusion {

FloorLeaves::FloorLeaves(const Cascade& cascade, const Architecture& architecture,
                         const std::vector<Constraints>& demands)
    : cascade_(cascade), alike_(first_alike(cascade, demands)) {
    const int buffer = shared_buffer(architecture);
    for (int e = 0; e < cascade.einsum_count(); ++e)
        floors_.emplace_back(cascade.einsums[e].einsum, architecture, buffer, demands[e]);
}

std::size_t FloorLeaves::Hash::operator()(const Key& key) const { return hash_of(key.first, key.second); }

FloorLeaves::Known& FloorLeaves::known(int einsum, const LeafQuestion& question) {
    const auto [entry, is_new] = points_.try_emplace(Key{alike_[einsum], question});
    Known& one = entry->second;
    if (!is_new) return one;
    one.floor = floors_[einsum].of(question);
    if (floors_[einsum].may_hold(question.held)) one.front.push_back(one.floor);
    return one;
}

const LeafFront& FloorLeaves::front(int einsum, const LeafQuestion& question) { return known(einsum, question).front; }

const LeafPoint& FloorLeaves::floor(int einsum, const LeafQuestion& question) { return known(einsum, question).floor; }

// A front is a stair: each point holds from its words on up to the next one's.
void FloorLeaves::learn(int einsum, const LeafQuestion& question, std::int64_t words,
                        const std::optional<LeafPoint>& least) {
    LeafFront& front = known(einsum, question).front;
    if (front.empty()) return;
    std::vector<std::int64_t> steps{words + 1};
    for (const LeafPoint& point : front) steps.push_back(point.words);
    std::ranges::sort(steps);
    steps.erase(std::ranges::unique(steps).begin(), steps.end());
    LeafFront more;
    for (const std::int64_t step : steps) {
        const auto after = std::ranges::upper_bound(front, step, {}, &LeafPoint::words);
        if (after == front.begin() || (step <= words && !least)) continue;
        LeafPoint point = *std::prev(after);
        point.words = step;
        if (step <= words) {
            point.energy_pj = std::max(point.energy_pj, least->energy_pj);
            point.cycles = std::max(point.cycles, least->cycles);
        }
        const bool is_same =
            !more.empty() && more.back().energy_pj <= point.energy_pj && more.back().cycles <= point.cycles;
        if (!is_same) more.push_back(point);
    }
    front = std::move(more);
}

}  // namespace tilewright::fusion
