// AccelForge's workload: einsums that share tensors, each over a box of rank variables.
//
// Sizes and bits are numbers here; what expressions of a machine may name (tensors, sets, renames) is in `names`.
// Values; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "accelforge/expression/value.hpp"
#include "base/error.hpp"
#include "workload/einsum.hpp"

namespace tilewright::accelforge {

/// One axis of a tensor: offset + sum of coefficient * variable; Term::dimension indexes EinsumSpec::variables.
struct Projection {
    std::string rank;
    std::vector<Term> terms;
    std::int64_t offset = 0;
};

struct TensorAccess {
    std::string tensor;
    std::vector<Projection> ranks;
    bool output = false;
    bool persistent = false;
    Location where;
};

struct EinsumSpec {
    std::string name;
    std::vector<std::string> variables;
    std::vector<std::int64_t> extents;  ///< of the box around what the conditions allow
    std::vector<TensorAccess> accesses;
    std::vector<double> bits;  ///< of a value, by access
    bool is_copy = false;
    double instances = 1.0;  ///< how often it runs, the workload's own included
    Names names;             ///< sets and renames
    Location where;

    int access_of(std::string_view tensor) const;      ///< -1: it does not use it
    int variable_of(std::string_view variable) const;  ///< -1: it has none of that name
    /// The variable always stands alone, without a coefficient.
    bool is_simple(int variable) const;
};

struct Workload {
    std::vector<EinsumSpec> einsums;
    std::vector<Location> persistent;  ///< where `persistent_tensors` and accesses say that tensors stay

    int einsum_of(std::string_view name) const;           ///< -1: there is none
    bool is_shared(std::string_view tensor) const;        ///< several einsums use it
    bool is_intermediate(std::string_view tensor) const;  ///< one writes it, one reads it
    std::vector<std::string> tensors() const;             ///< in the order in which they come up
};

/// How a rank variable moves a tensor: not at all, alone along the first axis that it stands in, or in a sum there.
enum class Relevancy { none, full, partial };
Relevancy relevancy(const TensorAccess& access, int variable);

/// Values in the box around what these extents (by variable, perhaps means of remainders) reach.
double volume(const TensorAccess& access, const std::vector<double>& extents);

}  // namespace tilewright::accelforge
