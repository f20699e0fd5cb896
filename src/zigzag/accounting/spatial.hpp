// Spatial mappings: parallel loops per array dimension, and the memory levels they lie between. ZigZag 3.8.5:
// zigzag/mapping/spatial_mapping.py, spatial_mapping_internal.py. Pure functions of values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"

namespace tilewright::zigzag {

struct Unrolling {
    int dimension = 0;
    std::int64_t factor = 1;

    bool operator==(const Unrolling&) const = default;
};

/// By array dimension; each may carry several loops.
using ArrayUnrolling = std::vector<std::vector<Unrolling>>;

/// A requested unrolling made legal: clipped to the layer, the array, and the innermost memories' bandwidth and
/// capacity; excess loops of an array dimension and absent dimensions are dropped. ZigZag drops from an unordered
/// Python set; here the first one goes.
ArrayUnrolling legal(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& requested);

/// Each layer dimension on each array dimension, as far as it may be unrolled alone.
ArrayUnrolling widest_unrolling(const Accelerator& accelerator, const Layer& layer);

/// A mapping's request by array dimension.
struct UnrollingRequest {
    std::vector<std::optional<std::vector<Unrolling>>> rows;  ///< nothing: to be chosen
    std::vector<std::vector<int>> hints;                      ///< candidate dimensions; none: all
};

/// The request made legal, with open rows filled in: of all ways to unroll one dimension there by a divisor of the
/// maximum, the `most` with the most units in use (ZigZag tries 3), best first. One if no row is open.
std::vector<ArrayUnrolling> legal_unrollings(const Accelerator& accelerator, const Layer& layer,
                                             const UnrollingRequest& request, int most = 3);

/// Fractional unrolling spreads a dimension evenly over the fewest rounds (55 over 14 units: 13.75 each). ZigZag uses
/// it for counts and energy, and its truncation for latency. The truncation covers less than the layer (13 * 4 < 55);
/// `covering` rounds up, for the busiest unit.
enum class UnrollRounding { fractional, whole, covering };

struct ParallelLoop {
    int dimension = 0;
    double size = 1.0;

    bool operator==(const ParallelLoop&) const = default;
};

/// loops[operand][level]: the parallel loops directly below memory `level`; the last entry is above the top memory.
struct SpatialMapping {
    std::vector<std::vector<std::vector<ParallelLoop>>> loops;

    bool operator==(const SpatialMapping&) const = default;
};

SpatialMapping spatial_mapping(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling,
                               UnrollRounding rounding);

/// Copies of one operand's data at architecture level a: 0 the array, l + 1 memory level l.
struct UnitCounts {
    std::vector<std::int64_t> units;  ///< instances in use
    std::vector<double> distinct;     ///< with different data
    std::vector<double> copies;       ///< with the same data
    std::vector<std::int64_t> boost;  ///< distinct words per word of one instance below; 1 at the top

    bool operator==(const UnitCounts&) const = default;
};

UnitCounts unit_counts(const Layer& layer, const Operand& operand,
                       const std::vector<std::vector<ParallelLoop>>& levels);

/// Relevant and irrelevant part of one level's loops, windows split between them.
struct Split {
    double relevant = 1.0;
    double irrelevant = 1.0;
};

/// Splits levels of loops, innermost first: a loop inside a window is relevant by its new positions and irrelevant for
/// the rest. ZigZag: decouple_pr_loop.
std::vector<Split> split_windows(const Layer& layer, const Operand& operand,
                                 const std::vector<std::vector<ParallelLoop>>& levels);

}  // namespace tilewright::zigzag
