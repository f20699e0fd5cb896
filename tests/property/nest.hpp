// Nest: one small problem on one small machine with one mapping, and its text form.
//
//     einsum O[n, k] += W[k, c] * I[n, c]
//     extents n=4 k=3 c=5
//     memory 1x1 keeps W I
//       for c 3 remainder 2
//       for n 4 across X
//     memory 4x1 keeps nothing
//       for k 3
//       for c 2
//     compute 4x1
//
// Memories are outermost first, each with its mesh; the loops below a memory are outermost first. Remainders follow
// from the extents and are printed for people. The text holds all that counts depend on; energies and sizes are not in
// it.
#pragma once

#include <string>
#include <string_view>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright::property {

struct Nest {
    Einsum einsum;
    Architecture architecture;
    Mapping mapping;
};

std::string to_text(const Nest& nest);

/// From this memory inwards the tensor passes others by over a fan-out, in a nest with remainders. What other programs
/// recorded then are averages over steps, no counts (docs/model.md, rule 6); step_walk.hpp is the judge there.
bool passes_with_remainders(const Nest& nest, int memory, int tensor);

/// Throws std::invalid_argument, with the line, when the text is not a nest.
Nest parse_nest(std::string_view text);

}  // namespace tilewright::property
