// Attention as one layer: scores, softmax and the weighted sum of values, for a chunk of new tokens after the kept
// ones, or for one new token of each of several sequences.
//
// On a GPU each block takes 64 or 128 query rows of one head and streams keys and values past them. Other properties of
// the software (a mask instead of skipping half, stored scores) are given with the layer.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>

#include "silicon/kernels/machine.hpp"

namespace tilewright::silicon {

/// flash: skips the half above the diagonal; masked: computes the full square; unfused: scores go through memory as
/// 32-bit numbers, and keys and values are copied for each query head.
enum class AttentionKind { flash, masked, unfused };

struct Attention {
    std::int64_t chunk = 0;      ///< new tokens of one sequence (prefill)
    std::int64_t kept = 0;       ///< tokens before them
    std::int64_t sequences = 0;  ///< of one new token each (decode); either these or a chunk
    std::int64_t kept_each = 0;  ///< tokens before it in each of them
    std::int64_t heads = 1;      ///< of queries
    std::int64_t head_width = 1;
    std::int64_t key_heads = 1;  ///< of keys and values
    AttentionKind kind = AttentionKind::flash;
    double kept_bytes = 0.0;  ///< mean size of a key or value word; 0: the machine's word

    bool operator==(const Attention&) const = default;
};

/// As run by the software, us.
double attention_us(const Attention& attention, const KernelMachine& machine);

/// Roofline: one launch, and the longer of operations and bytes without waste, us; without calibration of its own.
double ideal_attention_us(const Attention& attention, const KernelMachine& machine);

}  // namespace tilewright::silicon
