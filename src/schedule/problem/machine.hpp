// Machine: several identical cores around one scratchpad, with a DMA engine to the memory behind it.
//
// The machine of H. Min et al., "Flexer: Out-of-Order Scheduling for Multi-NPUs", CGO 2023, section 2.1. Pure data,
// read from files (docs/schedule.md).
#pragma once

#include <cstdint>
#include <string>

#include "schedule/problem/latency.hpp"
#include "schedule/problem/tile_shape.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright::schedule {

/// A multiplier array, input by output channels, with one step per output pixel and kernel point.
struct CoreArray {
    std::int64_t in_channels = 32;
    std::int64_t out_channels = 32;
    std::int64_t fill_cycles = 0;  ///< of the pipeline, once per operation

    bool operator==(const CoreArray&) const = default;
};

struct ElementBytes {
    std::int64_t input = 1;
    std::int64_t weight = 1;
    std::int64_t output = 1;
    std::int64_t partial_sum = 4;  ///< of an output with missing input channels

    bool operator==(const ElementBytes&) const = default;
};

inline constexpr std::int64_t kMostCores = 64;
inline constexpr std::int64_t kMostChannels = 16;

struct MultiNpu {
    std::string name;
    std::int64_t cores = 1;
    std::int64_t scratchpad_bytes = 0;
    std::int64_t dma_channels = 1;
    std::int64_t bytes_per_cycle = 1;  ///< of each channel
    ElementBytes element_bytes;
    CoreArray array;
    LatencyExpression latency = {};  ///< replaces the array's formula if given
    MappedLatency mapped = {};       ///< replaces both if given

    bool operator==(const MultiNpu&) const = default;
};

/// Latency by the mapping on a described core, else by the expression, else ceil(in_c / array) * ceil(out_c / array)
/// * out_w * out_h * kernel_w * kernel_h + fill. Throws OverflowError, and InputError for an expression without a cycle
/// count.
std::int64_t operation_cycles(const MultiNpu& machine, const TileShape& tile);
/// A quick lower bound of it, whatever its source.
std::int64_t least_operation_cycles(const MultiNpu& machine, const TileShape& tile);

/// Of one transfer over one channel; at least 1. Requires bytes > 0.
std::int64_t transfer_cycles(const MultiNpu& machine, std::int64_t bytes);

/// Reason why a machine is malformed, or "".
std::string problem_with(const MultiNpu& machine);

// Word widths of a scheduled layer, and its tiles' bytes.

/// The layer's, or else the machine's.
WordBits word_bits(const MultiNpu& machine, const TileShape& layer);

/// Widths of a convolution's tensors, with the machine's for missing ones (partial sums then at least as wide as
/// outputs); none if no tensor has any.
WordBits word_bits(const MultiNpu& machine, const Einsum& einsum, const PartialBits& partial);

/// Packed words in whole bytes. Throws OverflowError.
std::int64_t packed_bytes(std::int64_t words, std::int64_t bits);

}  // namespace tilewright::schedule
