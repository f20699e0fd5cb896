// One constraint on loops, resolved to an einsum's dimensions but otherwise as written: later rules
// (constraint_rules.hpp) depend on the order of factors and permutation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mapspace/constraints.hpp"
#include "timeloop/components/attributes.hpp"
#include "timeloop/machine/constraint_names.hpp"
#include "workload/einsum.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// `rest` ("M=-1"): any factor here, and 1 at every loop that says nothing of the dimension.
enum class Relation { equal, at_most, at_least, rest };

struct FactorBound {
    int dimension = 0;
    Relation relation = Relation::equal;
    std::int64_t value = 1;

    bool operator==(const FactorBound&) const = default;
};

struct LoopDirective {
    yaml::Node place;
    std::vector<FactorBound> factors;
    std::vector<int> inner;  ///< the permutation, innermost first; after a '*' the rest is `outer`
    std::vector<int> outer;
    bool has_permutation = false;
    std::optional<int> split;
    std::optional<std::int64_t> remainders;
    std::optional<std::int64_t> default_most;
    std::optional<std::int64_t> default_least;
    std::vector<std::vector<int>> maximize;  ///< groups of dimensions to maximize, in order
    std::optional<std::int64_t> maximize_capacity;
};

/// Context of a directive: arithmetic in its component's scope, and the problem's names.
struct DirectiveContext {
    const ConstraintNames& names;
    std::shared_ptr<Evaluator> evaluator;
    std::shared_ptr<const Scope> scope;
    bool in_place = false;  ///< inside a component or container
};

/// Reads `{factors, permutation, split, ...}`. Throws InputError: unknown_name for a dimension, unknown_tensor,
/// unsupported for other keys.
LoopDirective read_directive(const yaml::Node& node, bool spatial, const DirectiveContext& context);

/// "R=1 S=1", "R1,S1", [R=1, "C<=4", N>=2]; 0 is the whole extent. Bounds of void names are left out.
std::vector<FactorBound> read_factor_bounds(const yaml::Node& node, const ConstraintNames& names);

/// Combined bounds of `factors` on one dimension; empty on contradiction.
std::optional<FactorConstraint> bounds(const std::vector<FactorBound>& factors, int dimension);

/// Adds `later` to `first`; bad_value at `later` on contradiction.
void combine(LoopDirective& first, const LoopDirective& later, const Einsum& einsum);

}  // namespace tilewright::timeloop
