#include "fusion/space/steps.hpp"

#include <algorithm>
#include <limits>

#include "fusion/machine/machine.hpp"
#include "model/fused/windows.hpp"

namespace tilewright::fusion {
namespace {

std::int64_t length(const Interval& interval) { return interval.empty() ? 0 : interval.high - interval.low + 1; }

}  // namespace

int Steps::id(const Sequence& sequence) {
    std::vector<std::int64_t> key;
    for (const Interval& interval : sequence) {
        key.push_back(interval.empty() ? 0 : interval.low);
        key.push_back(interval.empty() ? -1 : interval.high);
    }
    const auto [entry, is_new] = ids_.try_emplace(std::move(key), static_cast<int>(sequences_.size()));
    if (!is_new) return entry->second;
    sequences_.push_back(sequence);
    Lengths& lengths = lengths_.emplace_back();
    std::map<std::int64_t, std::int64_t> counts;
    for (const Interval& interval : sequence) {
        lengths.longest = std::max(lengths.longest, length(interval));
        lengths.total += length(interval);
        if (interval.empty()) continue;
        ++lengths.boxes;
        ++counts[length(interval)];
    }
    lengths.counts.assign(counts.begin(), counts.end());
    return entry->second;
}

int Steps::cut(std::int64_t extent, std::int64_t step) {
    if (const auto known = cuts_.find({extent, step}); known != cuts_.end()) return known->second;
    Sequence sequence;
    for (std::int64_t low = 0; low < extent; low += step) sequence.push_back({low, std::min(extent, low + step) - 1});
    return cuts_[{extent, step}] = id(sequence);
}

int Steps::window(int id_of, int einsum, int operand, int axis, int dimension) {
    const auto key = std::tuple(id_of, einsum, operand, axis, dimension);
    if (const auto known = windows_.find(key); known != windows_.end()) return known->second;
    const CascadeEinsum& one = cascade_.einsums[at(einsum)];
    const CascadeTensor& tensor = cascade_.tensors[at(one.accesses[at(operand)].tensor)];
    Sequence reached;
    for (const Interval& interval : Sequence((*this)[id_of])) {
        fused::Iterations iterations = fused::all_iterations(one.einsum);
        iterations[at(dimension)] = interval;
        const auto box = interval.empty() ? std::nullopt : fused::touched(one, operand, iterations, tensor);
        reached.push_back(box ? (*box)[at(axis)] : Interval{});
    }
    return windows_[key] = id(reached);
}

int Steps::fresh(int id_of) {
    if (const auto known = fresh_.find(id_of); known != fresh_.end()) return known->second;
    Sequence sequence;
    std::int64_t had = -1;
    for (const Interval& interval : Sequence((*this)[id_of])) {
        const Interval more{std::max(interval.low, had + 1), interval.high};
        sequence.push_back(interval.empty() || more.empty() ? Interval{} : more);
        if (!interval.empty()) had = std::max(had, interval.high);
    }
    return fresh_[id_of] = id(sequence);
}

std::optional<int> Steps::around(int a, int b) {
    if (a == b) return a;
    const auto key = std::minmax(a, b);
    auto known = around_.find(key);
    if (known == around_.end()) {
        Sequence sequence;
        Interval last{0, 0};
        bool one_way = true;
        for (std::size_t i = 0; i < (*this)[a].size(); ++i) {
            const Interval& one = (*this)[a][i];
            const Interval& two = (*this)[b][i];
            const Interval both = one.empty()   ? two
                                  : two.empty() ? one
                                                : Interval{std::min(one.low, two.low), std::max(one.high, two.high)};
            sequence.push_back(both);
            if (both.empty()) continue;
            one_way = one_way && both.low >= last.low && both.high >= last.high;
            last = both;
        }
        known = around_.emplace(key, one_way ? id(sequence) : -1).first;
    }
    return known->second < 0 ? std::nullopt : std::optional(known->second);
}

std::int64_t Steps::span(int id_of) const {
    std::int64_t low = std::numeric_limits<std::int64_t>::max();
    std::int64_t high = -1;
    for (const Interval& interval : (*this)[id_of]) {
        if (interval.empty()) continue;
        low = std::min(low, interval.low);
        high = std::max(high, interval.high);
    }
    return high < 0 ? 0 : high - low + 1;
}

}  // namespace tilewright::fusion
