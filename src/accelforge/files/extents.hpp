// Extents of an einsum's rank variables: the bounding box of its conditions.
#pragma once

#include <string>
#include <vector>

#include "accelforge/values/workload.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// The sum of terms * variable + constant is at least 0.
struct Inequality {
    std::vector<Term> terms;
    double constant = 0.0;
};

/// "0 <= m < 128 and m + n < 200" of an einsum's variables. Throws InputError at `place`; unknown_name for a foreign
/// variable.
std::vector<Inequality> read_conditions(const yaml::Node& place, const EinsumSpec& einsum);

/// 0 <= projection < size.
std::vector<Inequality> within(const Projection& projection, double size);

/// Extents of the variables. Throws InputError(bad_value) at `place` for an unbounded variable or an empty range.
std::vector<std::int64_t> extents_of(const EinsumSpec& einsum, const std::vector<Inequality>& conditions,
                                     const yaml::Node& place);

}  // namespace tilewright::accelforge
