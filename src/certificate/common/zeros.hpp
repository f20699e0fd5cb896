// Shares of accesses and computes left by zeros, for single-word decisions, derived from the design alone.
//
// An access of a compute unit is avoided if one of the deciding words is zero; a word not stored is neither sent nor
// filled. With single-word decisions only, these shares are equal in all tiles, and the model's means are those of a
// dense machine times a share (docs/sparsity.md, "Exactly"). Derived independently: a design's values are shared with
// the search, their effects are not.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Shares of the dense number. The rest never comes up.
struct Shares {
    double done = 1.0;
    double gated = 0.0;
    double skipped = 0.0;

    /// Those that take time.
    double timed() const { return done + gated; }
};

struct WordShares {
    Shares served;              ///< of requests to the memory
    double filled = 1.0;        ///< of deliveries to it
    bool decompressed = false;  ///< it unpacks its deliveries
};

struct ZeroShares {
    std::array<std::array<WordShares, kMaxTensors>, kMaxMemories> words;
    Shares computes;
};

/// By tensor: its memories (bits).
using Keepers = std::array<std::uint32_t, kMaxTensors>;

/// Requires tile_dependence() == "" (tile_dependence.hpp) and kept tensors of the mapspace.
ZeroShares zero_shares(const Einsum& einsum, const sparse::Design& design, const Keepers& keepers);

/// By memory and tensor: share of a tile's words that needs room, rounded up to words.
std::vector<std::array<double, kMaxTensors>> held_shares(const Einsum& einsum, const sparse::Design& design);

}  // namespace tilewright::certificate
