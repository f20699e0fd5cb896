// Spatial mappings: what runs in parallel along each dimension of the array, and between which memory levels.
// ZigZag 3.8.5: zigzag/mapping/spatial_mapping.py, spatial_mapping_internal.py. Pure functions of values.
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

/// By dimension of the array; an array dimension may carry several loops.
using ArrayUnrolling = std::vector<std::vector<Unrolling>>;

/// A requested unrolling made legal: clipped to the layer, the array, and the bandwidth and capacity of the innermost
/// memories; what does not fit on an array dimension or exceeds the layer is dropped. Where ZigZag drops from a Python
/// set in no defined order, the first one goes.
ArrayUnrolling legal(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& requested);

/// Every dimension of the layer on every dimension of the array, as far as it may be unrolled there by itself.
ArrayUnrolling widest_unrolling(const Accelerator& accelerator, const Layer& layer);

/// What a mapping asks for, by dimension of the array.
struct UnrollingRequest {
    std::vector<std::optional<std::vector<Unrolling>>> rows;  ///< nothing: to be chosen
    std::vector<std::vector<int>> hints;                      ///< dimensions to choose from; none: all of them
};

/// The request made legal, with the rows that are to be chosen filled in: of all ways to unroll one dimension there by
/// a divisor of what is possible, the `most` that use most units (ZigZag tries 3), best first. One when nothing is to
/// be chosen.
std::vector<ArrayUnrolling> legal_unrollings(const Accelerator& accelerator, const Layer& layer,
                                             const UnrollingRequest& request, int most = 3);

/// Fractional unrolling spreads a dimension evenly over the fewest rounds (55 over 14 units: 13.75 each); ZigZag uses
/// it for counts and energy, and its truncation to whole numbers for latency. The truncation covers less than the layer
/// (13 * 4 < 55); `covering` rounds up, as the busiest unit has it.
enum class UnrollRounding { fractional, whole, covering };

struct ParallelLoop {
    int dimension = 0;
    double size = 1.0;

    bool operator==(const ParallelLoop&) const = default;
};

/// loops[operand][level]: the parallel loops between memory `level` and what is below it; the last entry holds those
/// above the top memory.
struct SpatialMapping {
    std::vector<std::vector<std::vector<ParallelLoop>>> loops;

    bool operator==(const SpatialMapping&) const = default;
};

SpatialMapping spatial_mapping(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling,
                               UnrollRounding rounding);

/// How often one operand's data are there at each architecture level a: 0 the array, l + 1 memory level l.
struct UnitCounts {
    std::vector<std::int64_t> units;  ///< instances in use
    std::vector<double> distinct;     ///< with different data
    std::vector<double> copies;       ///< with the same data
    std::vector<std::int64_t> boost;  ///< different words for each word of one instance below; 1 at the top

    bool operator==(const UnitCounts&) const = default;
};

UnitCounts unit_counts(const Layer& layer, const Operand& operand,
                       const std::vector<std::vector<ParallelLoop>>& levels);

/// The relevant and the irrelevant part of the loops of one level, windows split between the two.
struct Split {
    double relevant = 1.0;
    double irrelevant = 1.0;
};

/// Splits levels of loops, innermost first: a loop inside a window is relevant as far as it reaches new positions and
/// irrelevant for the rest. ZigZag: decouple_pr_loop.
std::vector<Split> split_windows(const Layer& layer, const Operand& operand,
                                 const std::vector<std::vector<ParallelLoop>>& levels);

}  // namespace tilewright::zigzag
