// Loop orders of which a file gives the beginning or the end: ZigZag's incomplete temporal orderings.
// ZigZag 3.8.5: zigzag/workload/layer_attributes.py, zigzag/opt/loma/engine.py.
//
// A loop of given size stands where the file puts it, and its prime factors are no longer there to be ordered. A loop
// without size ("*") is one factor of its dimension, whichever: its place is fixed, its size is searched.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "zigzag/values/uneven_mapping.hpp"

namespace tilewright::zigzag {

struct GivenLoop {
    int dimension = 0;
    std::optional<std::int64_t> size;  ///< empty: any one factor of the dimension

    bool operator==(const GivenLoop&) const = default;
};

/// Both lists innermost first; between them come all other loops, in any order.
struct GivenOrder {
    std::vector<GivenLoop> inner;
    std::vector<GivenLoop> outer;

    bool empty() const { return inner.empty() && outer.empty(); }
    bool operator==(const GivenOrder&) const = default;
};

/// A nest of which only the loops in the middle are still to be ordered; all lists innermost first.
struct PlacedLoops {
    std::vector<TemporalLoop> inner;
    std::vector<TemporalLoop> free;
    std::vector<TemporalLoop> outer;

    std::vector<TemporalLoop> all() const;
    bool operator==(const PlacedLoops&) const = default;
};

/// `factors` (prime ones, as loop_factors() returns them) without those that the loops of given size use up. Requires
/// that they divide what there is.
std::vector<TemporalLoop> free_factors(std::vector<TemporalLoop> factors, const GivenOrder& given);

/// All ways to give the loops without size one of the `free` factors each; none when they are more than the factors.
/// What is left is free.
std::vector<PlacedLoops> placements(const std::vector<TemporalLoop>& free, const GivenOrder& given);

}  // namespace tilewright::zigzag
