// AccelForge's workload: einsums with shared tensors, each over a box of rank variables.
//
// Sizes and bits are numbers; a machine's referable names (tensors, sets, renames) are in `names`. Values; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
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
    std::vector<std::int64_t> extents;  ///< of the conditions' bounding box
    std::vector<TensorAccess> accesses;
    std::vector<double> bits;  ///< of a value, by access
    bool is_copy = false;
    double instances = 1.0;  ///< repeats, the workload's included
    Names names;             ///< sets and renames
    Location where;

    int access_of(std::string_view tensor) const;      ///< -1: unused
    int variable_of(std::string_view variable) const;  ///< -1: unknown name
    /// The variable always stands alone, without a coefficient.
    bool is_simple(int variable) const;
};

struct Workload {
    std::vector<EinsumSpec> einsums;
    std::vector<Location> persistent;  ///< places of `persistent_tensors` and persistent accesses

    int einsum_of(std::string_view name) const;           ///< -1: there is none
    bool is_shared(std::string_view tensor) const;        ///< several einsums use it
    bool is_intermediate(std::string_view tensor) const;  ///< with both a producer and a consumer
    std::vector<std::string> tensors() const;             ///< in order of appearance
};

/// Names the sets of an einsum of `workload`, with accesses and variables: All, Inputs, .., each tensor, each variable.
/// The tensors' universe; its `bits` are the caller's to set.
std::shared_ptr<Universe> name_sets(const Workload& workload, EinsumSpec& einsum);

/// Relevance of a rank variable to a tensor: none, alone along its first axis, or in a sum there.
enum class Relevancy { none, full, partial };
Relevancy relevancy(const TensorAccess& access, int variable);

/// Values in the bounding box of these extents (by variable, possibly means of remainders).
double volume(const TensorAccess& access, const std::vector<double>& extents);

}  // namespace tilewright::accelforge
