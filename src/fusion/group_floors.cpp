#include "fusion/group_floors.hpp"

#include <algorithm>

#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {

GroupFloors::GroupFloors(const CascadeView& view, const Machine& machine, const Leaves& leaves,
                         const std::vector<LeastCost>& least, const Weights& weights)
    : view_(view),
      machine_(machine),
      leaves_(leaves),
      least_(least),
      weights_(weights),
      parts_(at(view.count())),
      entering_(at(view.count())) {
    for (int first = 0; first < view.count(); ++first) {
        std::vector<double>& parts = parts_[at(first)];
        parts.push_back(0.0);
        for (int e = first; e < view.count() && view.first_possible(e) <= first; ++e) {
            entering_[at(first)].push_back(entering(e, first));
            parts.push_back(parts.back() + of(e, first, array_of(e, least[at(e)].points)));
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
double GroupFloors::entering(int e, int first) const {
    const CascadeEinsum& one = view_.cascade().einsums[at(e)];
    double words = 0.0;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        const int tensor = one.accesses[at(t)].tensor;
        if (one.einsum.tensors[at(t)].written || !comes_in(tensor, first)) continue;
        const std::vector<TensorUse>& readers = view_.cascade().tensors[at(tensor)].readers;
        const bool was_read = std::ranges::any_of(readers, [&](const TensorUse& use) {
            return first <= use.einsum && (use.einsum < e || (use.einsum == e && use.operand < t));
        });
        if (!was_read) words += least_[at(e)].words[at(t)];
    }
    return words;
}

double GroupFloors::of(int e, int first, const Floor& array) const {
    return value_of(e, array, {entering_[at(first)][at(e - first)], 0.0});
}

double GroupFloors::value_of(int e, const Floor& array, const Traffic& moved) const {
    return with_traffic(machine_, array, moved, weights_).value * static_cast<double>(view_.repeats(e));
}

Floor GroupFloors::array_of(int e, double points) const { return array_floor(leaves_.corners(e), points, weights_); }

Floor GroupFloors::array_of_all(int e) const {
    double points = 1.0;
    for (const Dimension& dimension : view_.cascade().einsums[at(e)].einsum.dimensions)
        points *= static_cast<double>(dimension.extent);
    return array_of(e, points);
}

// All of its results are made, and go to the DRAM.
double GroupFloors::last_of(int first, int last, const Floor& array) const {
    return value_of(last, array, {entering_[at(first)][at(last - first)], least_[at(last)].alone.out});
}

double GroupFloors::whole(int first, int last) const {
    return part(first, last) + last_of(first, last, array_of_all(last));
}

double GroupFloors::whole(int first, int last, int start, const std::vector<Floor>& array) const {
    double sum = last_of(first, last, array[at(last - start)]);
    for (int e = first; e < last; ++e) sum += of(e, first, array[at(e - start)]);
    return sum;
}

}  // namespace tilewright::fusion
