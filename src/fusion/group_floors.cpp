#include "fusion/group_floors.hpp"

#include <algorithm>

#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

// What both say.
Floor larger(const Floor& a, const Floor& b) {
    return {{std::max(a.cost.energy_pj, b.cost.energy_pj), std::max(a.cost.cycles, b.cost.cycles)},
            std::max(a.value, b.value)};
}

}  // namespace

GroupFloors::GroupFloors(const CascadeView& view, const Machine& machine, Leaves& leaves,
                         const std::vector<LeastCost>& least, const Weights& weights)
    : view_(view),
      machine_(machine),
      leaves_(leaves),
      least_(least),
      weights_(weights),
      parts_(at(view.count())),
      entering_(at(view.count())),
      arrays_(at(view.count())) {
    for (int first = 0; first < view.count(); ++first) {
        std::vector<double>& parts = parts_[at(first)];
        parts.push_back(0.0);
        for (int e = first; e < view.count() && view.first_possible(e) <= first; ++e) {
            entering_[at(first)].push_back(entering(e, first));
            arrays_[at(first)].push_back(array_of(e, first, false));
            parts.push_back(parts.back() + of(e, first, {}));
        }
    }
}

// The tensor is there before the group begins. What one einsum alone reads from outside is counted whatever the group.
bool GroupFloors::comes_in(int tensor, int first) const {
    return std::ranges::all_of(view_.cascade().tensors[at(tensor)].writers,
                               [&](const TensorUse& use) { return use.einsum < first; });
}

// Words that the einsum is the first of the group to read, by itself or by way of a store, and that no other einsum
// pays for.
Traffic GroupFloors::entering(int e, int first) const {
    const CascadeEinsum& one = view_.cascade().einsums[at(e)];
    Traffic moved;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        const int tensor = one.accesses[at(t)].tensor;
        if (one.einsum.tensors[at(t)].written || !comes_in(tensor, first)) continue;
        const std::vector<TensorUse>& readers = view_.cascade().tensors[at(tensor)].readers;
        const bool was_read = std::ranges::any_of(readers, [&](const TensorUse& use) {
            return first <= use.einsum && (use.einsum < e || (use.einsum == e && use.operand < t));
        });
        if (!was_read) moved.add_in(least_[at(e)].words[at(t)], machine_.dram.share_of(one.einsum.tensors[at(t)].bits));
    }
    return moved;
}

double GroupFloors::of(int e, int first, const Floor& array) const {
    return value_of(e, larger(array, arrays_[at(first)][at(e - first)]), entering_[at(first)][at(e - first)]);
}

double GroupFloors::value_of(int e, const Floor& array, const Traffic& moved) const {
    return with_traffic(machine_, array, moved, weights_).value * static_cast<double>(view_.repeats(e));
}

// What the group makes is in the buffer. The last einsum makes all of its results.
Floor GroupFloors::array_of(int e, int first, bool is_last) const {
    const CascadeEinsum& one = view_.cascade().einsums[at(e)];
    std::vector<double> paid = least_[at(e)].paid;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        const bool written = one.einsum.tensors[at(t)].written;
        const bool is_made =
            std::ranges::any_of(view_.cascade().tensors[at(one.accesses[at(t)].tensor)].writers,
                                [&](const TensorUse& use) { return first <= use.einsum && use.einsum < e; });
        if (written ? !is_last : is_made) paid[at(t)] = -1.0;
    }
    double points = least_[at(e)].points;
    if (is_last) {
        points = 1.0;
        for (const Dimension& dimension : one.einsum.dimensions) points *= static_cast<double>(dimension.extent);
    }
    return array_floor(leaves_.per_point(e, paid), points, weights_);
}

// All of its results are made, and go to the DRAM.
double GroupFloors::last_of(int first, int last, const Floor& array) const {
    Traffic moved = entering_[at(first)][at(last - first)];
    moved.add(least_[at(last)].results);
    return value_of(last, larger(array, array_of(last, first, true)), moved);
}

double GroupFloors::whole(int first, int last) const { return part(first, last) + last_of(first, last, {}); }

double GroupFloors::whole(int first, int last, int start, const std::vector<Floor>& array) const {
    double sum = last_of(first, last, array[at(last - start)]);
    for (int e = first; e < last; ++e) sum += of(e, first, array[at(e - start)]);
    return sum;
}

}  // namespace tilewright::fusion
