// Results with wider partial sums: 32 bits in the accumulators, 8 once all is summed (docs/model.md, "Partial sums of a
// width of their own"). The einsum has the final widths.
//
//     const PartialBits bits{0, 0, 32};                                     // by tensor; 0: as in the einsum
//     if (problem_with(einsum, bits).empty() && check(einsum, architecture, mapping, bits).empty())
//         evaluate(einsum, architecture, mapping, bits).energy_pj;
//
// Word counts are those of evaluate(); a word's share of rows, bandwidth, room and wires differs. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapping/mapping.hpp"
#include "mapping/validity.hpp"
#include "model/evaluation.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright {

/// Reason the layer is not counted, in words, or "": operands with partial sums, results with several words on an axis
/// (O[p+r]). Requires as many widths as tensors.
std::string problem_with(const Einsum& einsum, const PartialBits& bits);

/// Words arriving at each memory for the last time, complete, summed over instances, by memory and tensor; 0 if a
/// memory does not keep the tensor. `counted`: evaluate() of the same. Requires problem_with() to be "".
std::vector<std::vector<double>> final_updates(const Einsum& einsum, const Architecture& architecture,
                                               const Mapping& mapping, const Evaluation& counted);

/// No word ever arriving at a memory is partial, by its dense counts and final_updates().
bool has_final_only(const TensorTraffic& traffic, double final_updates);

/// Share of final words on the wires below each memory, by memory and tensor. `final`: final_updates().
std::vector<std::vector<double>> final_shares_below(const Einsum& einsum, const Architecture& architecture,
                                                    const Mapping& mapping, const Evaluation& counted,
                                                    const std::vector<std::vector<double>>& final);

/// The layer as if no word were ever final.
Einsum all_partial(Einsum einsum, const PartialBits& bits);

/// The layer with words of the width `memory` needs room for: partial if any word in it ever is. Requires
/// problem_with() and check() of validity.hpp, but for room, to find nothing.
Einsum held_words(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                  const PartialBits& bits, int memory);

/// A run on a part of a layer's reductions, as a fused leaf's.
struct PartOfSums {
    TensorSet resumed;     ///< results whose words hold partial sums before the run begins
    TensorSet unfinished;  ///< results to which more is added after it: none of their words is final
};

/// As check() of validity.hpp: a memory with any partial word ever has room for partial ones.
std::vector<Violation> check(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                             const PartialBits& bits, const PartOfSums& part = {});

/// Requires check() and problem_with() to find nothing. Throws OverflowError.
Evaluation evaluate(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                    const PartialBits& bits);

/// evaluate() of such a run, and which of the words are partial.
struct PartEvaluation {
    Evaluation evaluation;
    std::vector<std::vector<double>> final_updates;  ///< by memory and tensor, of all instances
    std::vector<TensorSet> partial;                  ///< by memory: results of which any word there is ever partial
};

/// Requires check() and problem_with() to find nothing. Throws OverflowError; Stopped where `stop` is requested.
PartEvaluation evaluate_part(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                             const PartialBits& bits, const PartOfSums& part, const StopSource* stop = nullptr);

}  // namespace tilewright
