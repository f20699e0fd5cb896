// Costs of a mapping with words in blocks that share a scale (docs/model.md, rule 20).
//
//     const Words words{{}, {{}, {32, 8}, {}}};                             // 8 bits for every 32 weights
//     if (check_blocks(einsum, architecture, mapping, words).empty())
//         evaluate_blocks(einsum, architecture, mapping, words).energy_pj;
//
// Word counts are those of evaluate(). Moving words take an equal share of their row's scales; tiles hold whole scales.
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/blocks.hpp"
#include "mapping/mapping.hpp"
#include "mapping/validity.hpp"
#include "model/evaluation.hpp"
#include "workload/words.hpp"

namespace tilewright {

/// By tensor: bits of a word in the memory's tile. Requires an even or uneven nest.
std::vector<WordBits> held_bits(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                const BlockFormats& formats, int memory);

/// As check() of validity.hpp, with room for whole scales. Partial sums of their own width have no scales; requires
/// problem_with() of partial_sums.hpp to be "".
std::vector<Violation> check_blocks(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                    const Words& words);

/// Requires check_blocks() to be empty. Throws OverflowError.
Evaluation evaluate_blocks(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                           const Words& words);

}  // namespace tilewright
