// What groups of einsums cost at least, by where they begin and end: what is made before a group, or comes from outside
// for several einsums, comes in from the DRAM once, and the last results go there.
#pragma once

#include <vector>

#include "fusion/context.hpp"

namespace tilewright::fusion {

/// Of every part of the cascade that may be one of a group; values by the weights.
class GroupFloors {
   public:
    GroupFloors(const CascadeView& view, const Machine& machine, Leaves& leaves, const std::vector<LeastCost>& least,
                const Weights& weights);

    /// Einsums first .. end - 1 of a group that begins with `first` and goes on; 0 where there are none.
    double part(int first, int end) const { return first == end ? 0.0 : parts_[first][end - first]; }
    /// An einsum of a group that begins with `first`, where the array costs it so much for one repeat.
    double of(int e, int first, const Floor& array) const;
    /// A whole group of einsums first .. last.
    double whole(int first, int last) const;
    /// The same where the array costs so much: by einsum from `start` on, of one repeat.
    double whole(int first, int last, int start, const std::vector<Floor>& array) const;

   private:
    bool comes_in(int tensor, int first) const;
    Traffic entering(int e, int first) const;
    double value_of(int e, const Floor& array, const Traffic& moved) const;
    Floor array_of(int e, int first, bool is_last) const;
    double last_of(int first, int last, const Floor& array) const;

    const CascadeView& view_;
    const Machine& machine_;
    Leaves& leaves_;
    const std::vector<LeastCost>& least_;
    Weights weights_;
    std::vector<std::vector<double>> parts_;      // by first, then by end less first
    std::vector<std::vector<Traffic>> entering_;  // by first, then by einsum less first
    std::vector<std::vector<Floor>> arrays_;      // likewise, of einsums that do not end their group
};

}  // namespace tilewright::fusion
