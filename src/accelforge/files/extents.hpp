// How far the rank variables of an einsum run: the box around what its conditions allow.
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

/// "0 <= m < 128 and m + n < 200" of an einsum's variables. Throws InputError at `place`; unknown_name for a variable
/// that the einsum does not have.
std::vector<Inequality> read_conditions(const yaml::Node& place, const EinsumSpec& einsum);

/// 0 <= projection < size.
std::vector<Inequality> within(const Projection& projection, double size);

/// The extents of the variables. Throws InputError(bad_value) at `place` for a variable without bounds or without room.
std::vector<std::int64_t> extents_of(const EinsumSpec& einsum, const std::vector<Inequality>& conditions,
                                     const yaml::Node& place);

}  // namespace tilewright::accelforge
