// Constraints of the user or the machine on mappings. Timeloop's vocabulary, resolved to indices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/factors/factor_rule.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// Bounds on the factor of one dimension in one directive.
struct FactorConstraint {
    std::optional<std::int64_t> exactly;  ///< 0 is resolved to the dimension's whole extent by the reader
    std::int64_t at_least = 1;
    std::optional<std::int64_t> at_most;

    bool operator==(const FactorConstraint&) const = default;
};

/// The temporal loops of one memory, or the spatial loops of the fan-out below it.
struct LoopConstraint {
    std::vector<FactorConstraint> factors;  ///< by dimension; empty: free
    /// Innermost first. `inner`: fixed prefix, `outer`: fixed suffix; other dimensions are free in between.
    std::vector<int> inner;
    std::vector<int> outer;
    /// Spatial only: the first `split` dimensions of the permutation go to X, the others to Y; empty: free.
    std::optional<int> split;
    /// Spatial only: no dimension along both axes, and loops along X inside those along Y, as in Timeloop.
    bool one_axis = false;
    /// Ruby: imperfect factors up to this bound are allowed here (Timeloop's `remainders`); empty: the mapspace's rule.
    std::optional<std::int64_t> remainders;

    bool operator==(const LoopConstraint&) const = default;
};

struct LevelConstraint {
    LoopConstraint temporal;
    LoopConstraint spatial;
    TensorSet must_keep;
    TensorSet must_bypass;  ///< tensors in neither set are free

    bool operator==(const LevelConstraint&) const = default;
};

struct Constraints {
    std::vector<LevelConstraint> levels;  ///< one per memory, outermost first; empty: no constraints
    double min_parallelism = 0.0;         ///< least share of the compute units in use

    bool operator==(const Constraints&) const = default;
};

/// Some constraint allows remainders beyond the rule.
bool allow_remainders_beyond(FactorRule rule, const Constraints& constraints);

// Padding: einsums with extents rounded up so that perfect factors fill a fan-out (FactorRule::padded).

/// The einsum itself and its paddings: per axis of a fan-out at most one dimension allowed there is rounded up to a
/// multiple of the axis. Extents that fit the axis whole are not padded, so no axis doubles the work. Ascending in
/// operations, at most 32; throws OverflowError.
std::vector<Einsum> paddings(const Einsum& einsum, const Architecture& architecture, const Constraints& constraints);

}  // namespace tilewright
