// The temporal nest of an uneven mapping in ZigZag's counting: irrelevant loops sink to the level inside them. ZigZag
// 3.8.5, mapping_assist_funcs.py: innermost_stationary_loop_merge_down.
// Temporal loops left by a spatial mapping, and their prime factors (LPFs), ordered by searches. ZigZag 3.8.5:
// zigzag/opt/loma/engine.py.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zigzag/accounting/spatial.hpp"
#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"
#include "zigzag/values/uneven_mapping.hpp"

namespace tilewright::zigzag {

struct OperandNest {
    std::vector<LevelLoops> levels;          ///< after sinking
    std::int64_t stationary_cycles = 1;      ///< stationary time of the data at the units
    std::vector<std::int64_t> cycles;        ///< [a]: between changes at architecture level a (0: the units)
    std::vector<std::int64_t> top_relevant;  ///< [l + 1]: product of the outermost relevant loops of memory level l
    std::vector<std::int64_t> top_irrelevant;

    bool operator==(const OperandNest&) const = default;
};

struct Nest {
    std::vector<OperandNest> operands;
    std::int64_t total_cycles = 1;
};

/// Reason why `mapping` is malformed, or "": missing operands or levels, a loop below one iteration, operands with
/// different loops or orders.
std::string problem_with(const Accelerator& accelerator, const Layer& layer, const UnevenMapping& mapping);

/// Requires a mapping without problem. Throws OverflowError.
Nest sunk_nest(const Layer& layer, const UnevenMapping& mapping);

/// One loop per dimension with more than one iteration, in the layer's order. The floating-point quotient of size and
/// fractional unrolling is rounded up: 34 over 34/7 units gives 8 iterations, not 7.
std::vector<TemporalLoop> temporal_loops(const Layer& layer, const SpatialMapping& spatial);

/// Prime factors of those loops, dimensions in the layer's order, factors ascending; one single-iteration loop if there
/// are none.
std::vector<TemporalLoop> loop_factors(const Layer& layer, const SpatialMapping& spatial);

/// At most `limit` factors, or one per dimension: repeatedly multiplies the two smallest of the dimension with the most
/// (the first on ties). Requires the result of loop_factors().
std::vector<TemporalLoop> limited(const std::vector<TemporalLoop>& factors, int limit);

}  // namespace tilewright::zigzag
