#include "fusion/leaf/leaves.hpp"

#include <cstdint>
#include <map>

#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

// The einsum without names and extents.
std::vector<std::int64_t> shape_of(const Einsum& einsum) {
    std::vector<std::int64_t> shape{einsum.dimension_count()};
    for (const Tensor& tensor : einsum.tensors) {
        shape.push_back(tensor.written ? -1 : -2);
        for (const Rank& rank : tensor.ranks) {
            shape.push_back(-3);
            for (const Term& term : rank.terms) {
                shape.push_back(term.dimension);
                shape.push_back(term.coefficient);
            }
        }
    }
    return shape;
}

}  // namespace

std::size_t ArrayLeaves::Hash::operator()(const Key& key) const { return hash_of(key.shape, key.question); }

ArrayLeaves::ArrayLeaves(const Cascade& cascade, const Machine& machine,
                         const std::vector<std::vector<bool>>& any_extent, Ranking ranking)
    : cascade_(cascade), machine_(machine), ranking_(ranking) {
    std::map<std::vector<std::int64_t>, int> shapes;
    for (int e = 0; e < cascade.einsum_count(); ++e) {
        const Einsum& einsum = cascade_.einsums[at(e)].einsum;
        const auto [shape, is_new] = shapes.try_emplace(shape_of(einsum), static_cast<int>(shapes.size()));
        if (is_new) neighbours_.emplace_back(einsum);
        shape_.push_back(shape->second);
        least_.push_back(least_per_point(einsum, machine, any_extent[at(e)]));
        corners_per_point_.push_back(ranking == Ranking::both ? corners_per_point(einsum, machine, any_extent[at(e)])
                                                              : std::vector{least_.back()});
    }
}

const LeafFront& ArrayLeaves::front(int einsum, const LeafQuestion& question) {
    const auto [entry, is_new] = fronts_.try_emplace(Key{shape_[at(einsum)], question});
    if (is_new)
        entry->second = leaf_front(cascade_.einsums[at(einsum)].einsum, machine_, question,
                                   neighbours_[at(shape_[at(einsum)])], ranking_);
    return entry->second;
}

const LeafPoint& ArrayLeaves::floor(int einsum, const LeafQuestion& question) {
    const auto [entry, is_new] = floors_.try_emplace(Key{shape_[at(einsum)], question});
    if (is_new)
        entry->second =
            leaf_floor(cascade_.einsums[at(einsum)].einsum, machine_, question, neighbours_[at(shape_[at(einsum)])]);
    return entry->second;
}

// Where one of the two decides, its least is what counts.
std::span<const LeafPoint> ArrayLeaves::corners(int einsum, const LeafQuestion& question) {
    if (ranking_ != Ranking::both) return {&floor(einsum, question), 1};
    const auto [entry, is_new] = corners_.try_emplace(Key{shape_[at(einsum)], question});
    if (is_new)
        entry->second =
            leaf_corners(cascade_.einsums[at(einsum)].einsum, machine_, question, neighbours_[at(shape_[at(einsum)])]);
    return entry->second;
}

}  // namespace tilewright::fusion
