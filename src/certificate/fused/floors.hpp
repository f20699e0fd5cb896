// What every einsum of a cascade costs at least in a group that begins with a given one, whatever else is decided.
#pragma once

#include <vector>

#include "certificate/fused/nests.hpp"
#include "certificate/fused/prices.hpp"
#include "certificate/fused/space.hpp"

namespace tilewright::certificate::fused_proof {

/// What has to be made of an einsum whatever is fused: points of one repeat, and words of each operand that they reach.
struct NeededOf {
    double points = 0.0;
    std::vector<double> words = {};  ///< by operand; of results and of what may be anywhere 0
};
/// By einsum.
std::vector<NeededOf> needed_of_all(const Space& space);

class GroupFloors {
   public:
    /// Keeps references. `array`: by einsum.
    GroupFloors(const Space& space, const Prices& prices, const Weights& weights, std::vector<Nests::PerPoint> array);

    /// All repeats of an einsum inside a group that begins with `first`: operations on what is needed of its results,
    /// what the array asks of the buffer for them, and words that it is the first of the group to read, which come from
    /// the DRAM. `array_value`: what operations and array are known to cost at least, of all repeats.
    double of(int e, int first, double array_value) const;
    /// The same of the einsum that ends the group: all of its results are made, and go to the DRAM.
    double of_last(int last, int first, double array_value) const;

   private:
    double entering(int e, int first) const;
    double value(int e, double points, const Moved& dram, double array_value) const;

    const Space& space_;
    const Prices& prices_;
    Weights weights_;
    std::vector<Nests::PerPoint> array_;
    std::vector<NeededOf> needed_;
    std::vector<NeededOf> whole_;                // by einsum: all of its points; words of its results
    std::vector<std::vector<double>> entering_;  // words, by einsum and first
};

}  // namespace tilewright::certificate::fused_proof
