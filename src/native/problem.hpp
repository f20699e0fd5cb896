// Mapping problems as JSON, bit-exact in every number of energy and cycles. Tilewright's own form, for certificates and
// the cache; sources and estimates of energies are left out.
#pragma once

#include <string>

#include "mapspace/layer_problem.hpp"
#include "sparse/design.hpp"

namespace tilewright::native {

/// The same problem without names: dimensions, tensors, memories and the like are numbered.
LayerProblem without_names(const LayerProblem& problem);

/// One line; equal problems give equal bytes.
std::string to_text(const LayerProblem& problem);

/// XXH3-128 of a machine's data relevant to energy and cycles, names included.
std::string hash_of(const Architecture& machine);

/// First differing number or name, "memories.1.read_pj: 1.1, not 2.2", or "". Data outside problems (sources of
/// energies) do not count.
std::string difference(const Architecture& machine, const Architecture& other);
std::string difference(const Einsum& einsum, const Einsum& other);
/// Both of the same einsum.
std::string difference(const Constraints& constraints, const Constraints& other, const Einsum& einsum);

// A machine's sparse design for a layer as text: for keys of the cache.

/// One line with all its numbers, bit-exact, and a hash of measured tensors' non-zero patterns: equal bytes if and only
/// if equal designs. No names of tensors or memories.
std::string to_text(const sparse::Design& design);

}  // namespace tilewright::native
