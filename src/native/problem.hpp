// Mapping problems as JSON, exactly: every number that energy and cycles depend on comes back bit for bit. Tilewright's
// own form, for certificates and the cache; where energies came from and how they were estimated is left out.
#pragma once

#include <string>

#include "mapspace/layer_problem.hpp"

namespace tilewright::native {

/// The same problem whatever its names are: dimensions, tensors, memories and the like are numbered.
LayerProblem without_names(const LayerProblem& problem);

/// One line; equal problems give equal bytes.
std::string to_text(const LayerProblem& problem);

/// XXH3-128 of all of a machine that energy and cycles depend on, names included.
std::string hash_of(const Architecture& machine);

/// The first number or name in which two of them differ, "memories.1.read_pj: 1.1, not 2.2"; "" when all are the
/// same. What is not written in problems (sources of energies) does not count.
std::string difference(const Architecture& machine, const Architecture& other);
std::string difference(const Einsum& einsum, const Einsum& other);
/// Both of the same einsum.
std::string difference(const Constraints& constraints, const Constraints& other, const Einsum& einsum);

}  // namespace tilewright::native
