// Mapping problems as JSON, exactly: every number that energy and cycles depend on comes back bit for bit. Tilewright's
// own form, for certificates and the cache; where energies came from and how they were estimated is left out.
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"

namespace tilewright::native {

struct Problem {
    Einsum einsum;
    Architecture architecture;
    Constraints constraints;
};

/// The same problem whatever its names are: dimensions, tensors, memories and the like are numbered.
Problem without_names(const Problem& problem);

/// One line; equal problems give equal bytes.
std::string to_text(const Problem& problem);

}  // namespace tilewright::native
