// Arrivals: first words of a result with overlapping tiles spread over outer fan-outs. Internal to certificate/.
//
// An instance's tiles depend on the loops inside those fan-outs: known once the last is crossed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "certificate/common/charges.hpp"

namespace tilewright::certificate {

/// first_words() can count them for any tiles. It may succeed for more words, too.
bool can_count_first_words(const Addresses& tensor, const Box& extents);

/// Outer fan-outs of `level` that matter (bits); 0 if the loops inside the tile decide.
std::uint32_t fanouts_that_share_out(const Charges& charges, int t, int level);

/// No loops outside the tile matter: the dimensions spread by fan-outs have none left.
bool is_shared_out(const Charges& charges, int t, int level, const Box& loops);

/// Lower bound of first words for any later loops.
FirstWords least_first_words(const Charges& charges, int t, int level, const Box& loops);

struct Crossing {
    int fanout = 0;
    const Box* loops = nullptr;
};

/// For a tile of `loops`. `crossings`: all fan-outs that spread it, from the inside. Nothing if there are too many
/// tiles, or words around them.
std::optional<FirstWords> first_words(const Charges& charges, int t, int level, const Box& loops,
                                      std::span<const Crossing> crossings);

}  // namespace tilewright::certificate
