// Loop orders with a given beginning or end: ZigZag's incomplete temporal orderings. ZigZag 3.8.5:
// zigzag/workload/layer_attributes.py, zigzag/opt/loma/engine.py.
//
// A loop of given size is fixed, and its prime factors are excluded from the search. A loop without size ("*") is any
// one factor of its dimension: the place is fixed, the size searched.
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

/// Both lists innermost first; all other loops lie between, in any order.
struct GivenOrder {
    std::vector<GivenLoop> inner;
    std::vector<GivenLoop> outer;

    bool empty() const { return inner.empty() && outer.empty(); }
    bool operator==(const GivenOrder&) const = default;
};

/// A nest with only the middle loops to order; all lists innermost first.
struct PlacedLoops {
    std::vector<TemporalLoop> inner;
    std::vector<TemporalLoop> free;
    std::vector<TemporalLoop> outer;

    std::vector<TemporalLoop> all() const;
    bool operator==(const PlacedLoops&) const = default;
};

/// `factors` (prime, from loop_factors()) without those used up by loops of given size. Requires divisibility.
std::vector<TemporalLoop> free_factors(std::vector<TemporalLoop> factors, const GivenOrder& given);

/// All assignments of `free` factors to the loops without size; none if too few. The rest stay free.
std::vector<PlacedLoops> placements(const std::vector<TemporalLoop>& free, const GivenOrder& given);

}  // namespace tilewright::zigzag
