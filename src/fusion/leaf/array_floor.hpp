// What an array and its buffer take at least, for one box or for a point of any box: found without looking at tiles.
//
// Of one spread over the array and one operand in the registers both follow: how many units work, and how many words
// the buffer moves for them. Cycles are the larger of the two, so that spreads that the buffer cannot feed do not count
// as quick.
#pragma once

#include <cstdint>
#include <vector>

#include "fusion/leaf/neighbours.hpp"
#include "fusion/machine/machine.hpp"
#include "workload/einsum.hpp"

namespace tilewright::fusion {

/// No nest of a box costs less energy of the buffer for reads and updates, nor works on more units, nor takes fewer
/// cycles of array and buffer, each of these by itself.
struct LeastOfArray {
    double buffer_pj = 0.0;
    double units = 1.0;
    double cycles = 0.0;          ///< of a call
    double resumed_cycles = 0.0;  ///< of one that goes on with the sums of the one before: it reads them first
};
/// `fills`: words that come into the buffer during a call, at least.
LeastOfArray least_of_array(const Einsum& einsum, const Machine& machine, const std::vector<std::int64_t>& extents,
                            double fills, Neighbours& neighbours);

/// One spread and one operand in the registers.
struct ArrayCorner {
    double buffer_pj = 0.0;
    double cycles = 0.0;
    double resumed_cycles = 0.0;
};
/// Every nest of the box is in all three no better than one of these at once.
std::vector<ArrayCorner> corners_of_array(const Einsum& einsum, const Machine& machine,
                                          const std::vector<std::int64_t>& extents, double fills,
                                          Neighbours& neighbours);

/// Least energy and cycles that a point of the einsum costs inside the array and its buffer, whatever the box and its
/// mapping. `any_extent`: dimensions of which boxes may have any part; of the others, factors of their extents.
struct LeastPerPoint {
    double energy_pj = 0.0;
    double cycles = 0.0;
};
LeastPerPoint least_per_point(const Einsum& einsum, const Machine& machine, const std::vector<bool>& any_extent);
/// Every mapping of every box costs a point no less than one of these, energy and cycles at once.
std::vector<LeastPerPoint> corners_per_point(const Einsum& einsum, const Machine& machine,
                                             const std::vector<bool>& any_extent);

}  // namespace tilewright::fusion
