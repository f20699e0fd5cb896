// One constraint on loops, resolved to the dimensions of an einsum but otherwise as written: the order of factors and
// permutation matters to the rules that build on them (constraint_rules.hpp).
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

enum class Relation { equal, at_most, at_least };

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
    std::vector<std::vector<int>> maximize;  ///< groups of dimensions to make as large as fits, in order
    std::optional<std::int64_t> maximize_capacity;
};

/// What a directive is read with: arithmetic in the scope of its component, and the names of the problem.
struct DirectiveContext {
    const ConstraintNames& names;
    std::shared_ptr<Evaluator> evaluator;
    std::shared_ptr<const Scope> scope;
};

/// Reads `{factors, permutation, split, ...}`. Throws InputError: unknown_name for a dimension, unknown_tensor,
/// unsupported for what a constraint cannot say here.
LoopDirective read_directive(const yaml::Node& node, bool spatial, const DirectiveContext& context);

/// "R=1 S=1", "R1,S1", [R=1, "C<=4", N>=2]; 0 stands for the whole extent. Bounds of void names are left out.
std::vector<FactorBound> read_factor_bounds(const yaml::Node& node, const ConstraintNames& names);

/// What `factors` say about one dimension; nothing when they contradict each other.
std::optional<FactorConstraint> bounds(const std::vector<FactorBound>& factors, int dimension);

/// Adds `later` to `first`; bad_value at `later` when they contradict each other.
void combine(LoopDirective& first, const LoopDirective& later, const Einsum& einsum);

}  // namespace tilewright::timeloop
