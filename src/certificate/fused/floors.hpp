// What every einsum of a cascade costs at least in a group that begins with a given one, whatever else is decided.
#pragma once

#include <vector>

#include "certificate/fused/member.hpp"
#include "certificate/fused/prices.hpp"
#include "certificate/fused/space.hpp"

namespace tilewright::certificate::fused_proof {

/// What has to be made of an einsum whatever is fused: points of one repeat, and words of each operand that they reach.
struct NeededOf {
    double points = 0.0;
    std::vector<double> words = {};  ///< by operand; of what may be anywhere 0

    /// Of a point, where nothing is decided.
    Nests::Paid paid() const;
};
/// By einsum.
std::vector<NeededOf> needed_of_all(const Space& space);

class GroupFloors {
   public:
    /// Keeps references.
    GroupFloors(const Space& space, const Prices& prices, const Weights& weights, Members& members);

    /// All repeats of an einsum inside a group that begins with `first`: operations on what is needed of its results,
    /// what the array asks of the buffer for them, and words that it is the first of the group to read, which come from
    /// the DRAM. `array_value`: what operations and array are known to cost at least, of all repeats.
    double of(int e, int first, double array_value);
    /// The same of the einsum that ends the group: all of its results are made, and go to the DRAM.
    double of_last(int last, int first, double array_value);

   private:
    Both entering(int e, int first) const;
    double value(int e, int first, bool is_last, const Both& dram, double array_value);

    const Space& space_;
    const Prices& prices_;
    Weights weights_;
    Members& members_;
    std::vector<NeededOf> needed_;
    std::vector<double> points_;               // by einsum: all of them
    std::vector<Both> results_;                // by einsum: words of all of them
    std::vector<std::vector<Both>> entering_;  // by einsum and first
};

}  // namespace tilewright::certificate::fused_proof
