// What a mapping of a layer costs whose words lie in blocks that share a scale (docs/model.md, rule 20).
//
//     const Words words{{}, {{}, {32, 8}, {}}};                             // 8 bits for every 32 weights
//     if (check_blocks(einsum, architecture, mapping, words).empty())
//         evaluate_blocks(einsum, architecture, mapping, words).energy_pj;
//
// Counts of words are those of evaluate(). Words that move take an equal share of the scales of their row; tiles hold
// whole scales. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/blocks.hpp"
#include "mapping/mapping.hpp"
#include "mapping/validity.hpp"
#include "model/evaluation.hpp"
#include "workload/words.hpp"

namespace tilewright {

/// By tensor: what a word takes in the tile that the memory holds of it. Requires an even or uneven nest.
std::vector<WordBits> held_bits(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                const BlockFormats& formats, int memory);

/// As check() of validity.hpp, with room for whole scales. Partial sums of a width of their own have no scales, and
/// problem_with() of partial_sums.hpp has to find nothing.
std::vector<Violation> check_blocks(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                    const Words& words);

/// Requires check_blocks() to find nothing. Throws OverflowError.
Evaluation evaluate_blocks(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                           const Words& words);

}  // namespace tilewright
