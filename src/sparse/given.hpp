// Densities as users give them: rules about a tensor of some layers, of which the last one that fits counts.
//
//     const RulesOfLayers rules = rules_of(network, {{"*", "Weights", FixedStructured{0.3}, "--density"}});
//     design.densities[t] = density_of(*rules[layer][t], einsum, t);
//
// Pure functions of values; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "sparse/costs.hpp"
#include "sparse/density.hpp"
#include "workload/network.hpp"

namespace tilewright::sparse {

/// N:M along a dimension, or, where none is named, along the first that results are summed over.
struct GivenPattern {
    std::int64_t kept = 2;
    std::int64_t of = 4;
    std::string along;
    bool operator==(const GivenPattern&) const = default;
};

using GivenDensity = std::variant<FixedStructured, UniformRandom, Banded, GivenPattern, Measured>;

struct DensityRule {
    std::string layers = "*";  ///< names or patterns as of shells
    std::string tensor;
    GivenDensity density;
    std::string from = {};  ///< who says so: "--density Weights=0.3", "densities.csv:3"
    Location where = {};    ///< in a file; none: it was given otherwise
    std::string line = {};  ///< of that file, for messages
};

/// By layer of a network and tensor of its einsum; nothing where no rule fits.
using RulesOfLayers = std::vector<std::vector<std::optional<DensityRule>>>;

/// `left_out`: layers that were not asked for; rules about them alone say nothing. Throws InputError at the rule's
/// place: unknown_name for a pattern that no layer matches, unknown_tensor for a tensor that none of its layers has.
RulesOfLayers rules_of(const Network& network, const std::vector<DensityRule>& rules,
                       const std::vector<std::string>& left_out = {});

/// What a rule says of one tensor. Throws InputError(bad_value) at its place for what cannot be so (problem_with()),
/// unknown_name for N:M along a dimension that the tensor has no rank of its own for.
Density density_of(const DensityRule& rule, const std::string& layer, const Einsum& einsum, int tensor);

/// What a layer's tensors are like, by tensor; nothing is said yet.
std::vector<TensorDensity> densities_of(const Einsum& einsum, const std::vector<Density>& densities);

/// The share of its elements that are not zero. Requires problem_with(density, tensor) == "".
double share_of(const Density& density, const Tile& tensor);

/// "fixed_structured", "hypergeometric", "banded-3", "2:4", "measured"
std::string name_of(const Density& density);

}  // namespace tilewright::sparse
