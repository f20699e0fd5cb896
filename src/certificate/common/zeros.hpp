// What zeros leave of accesses and computes where single words decide: shares derived from the design alone.
//
// An access that a compute unit asks for is avoided where one of the words that it looks at is zero; a word that is not
// stored is neither sent nor filled. Where nothing but single words decides, these shares are the same in all tiles,
// and the model's means are those of a machine without zeros times a share (docs/sparsity.md, "Exactly"). This room
// derives them by itself: it shares the values of a design with the search, and no definition of what they come to.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Of all that would be, were nothing zero. What is in none of the three never comes up.
struct Shares {
    double done = 1.0;
    double gated = 0.0;
    double skipped = 0.0;

    /// That take their time.
    double timed() const { return done + gated; }
};

/// Of the words of one tensor at one memory.
struct WordShares {
    Shares served;              ///< of those that the memory is asked for
    double filled = 1.0;        ///< of those that it is sent
    bool decompressed = false;  ///< it unpacks what it is sent
};

struct ZeroShares {
    std::array<std::array<WordShares, kMaxTensors>, kMaxMemories> words;
    Shares computes;
};

/// By tensor: memories that keep it (bits).
using Keepers = std::array<std::uint32_t, kMaxTensors>;

/// Requires tile_dependence() (tile_dependence.hpp) to be "" and the tensors to be kept as the mapspace allows.
ZeroShares zero_shares(const Einsum& einsum, const sparse::Design& design, const Keepers& keepers);

/// By memory and tensor: of a tile's words, the share that the memory has to have room for, rounded up to words.
std::vector<std::array<double, kMaxTensors>> held_shares(const Einsum& einsum, const sparse::Design& design);

}  // namespace tilewright::certificate
