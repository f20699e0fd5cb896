// Leaf fronts that were asked for before, whatever the weights: alike einsums share them.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "fusion/leaf/leaf.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::fusion {

class Leaves {
   public:
    /// `ranking`: of all fronts.
    Leaves(const Cascade& cascade, const Machine& machine, Ranking ranking = Ranking::both);

    const LeafFront& front(int einsum, const LeafQuestion& question);
    const LeafPoint& floor(int einsum, const LeafQuestion& question);
    const LeastPerPoint& least(int einsum) const { return least_[einsum]; }
    std::size_t count() const { return fronts_.size(); }

   private:
    struct Key {
        int shape = 0;
        LeafQuestion question;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };

    const Cascade& cascade_;
    const Machine& machine_;
    Ranking ranking_;
    std::vector<int> shape_;              ///< by einsum: equal for einsums that differ in names and extents only
    std::vector<Neighbours> neighbours_;  ///< by shape
    std::vector<LeastPerPoint> least_;
    std::unordered_map<Key, LeafFront, Hash> fronts_;
    std::unordered_map<Key, LeafPoint, Hash> floors_;
};

}  // namespace tilewright::fusion
