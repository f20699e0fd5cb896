// Leaf fronts that were asked for before, whatever the weights: alike einsums share them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fusion/leaf/leaf.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::fusion {

class Leaves {
   public:
    Leaves(const Cascade& cascade, const Machine& machine);

    const LeafFront& front(int einsum, const LeafQuestion& question);
    const LeafPoint& floor(int einsum, const LeafQuestion& question);
    const LeastPerPoint& least(int einsum) const { return least_[static_cast<std::size_t>(einsum)]; }
    std::size_t count() const { return fronts_.size(); }

   private:
    const Cascade& cascade_;
    const Machine& machine_;
    std::vector<int> shape_;              ///< by einsum: equal for einsums that differ in names and extents only
    std::vector<Neighbours> neighbours_;  ///< by shape
    std::vector<LeastPerPoint> least_;
    std::map<std::pair<int, LeafQuestion>, LeafFront> fronts_;
    std::map<std::pair<int, LeafQuestion>, LeafPoint> floors_;
};

}  // namespace tilewright::fusion
