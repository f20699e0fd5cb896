// What words in blocks that share a scale take where those that are zero are not stored (docs/sparsity.md, rule 10).
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "model/exact/costs.hpp"
#include "sparse/density.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright::sparse {

/// By tensor: what a stored word takes where zeros are left out, in words that move where they are not. A word has an
/// equal share of the scales of those blocks of its tensor in which something is not zero: 1 without blocks, else at
/// least that. Throws Uncounted.
std::vector<double> stored_widths(const Einsum& einsum, const std::vector<Density>& densities,
                                  const BlockFormats& formats);

/// Rows of a memory as words of so many bits see them, perhaps parts of a bit.
Rows rows_of_bits(const Memory& memory, double bits);

}  // namespace tilewright::sparse
