// Arrivals: which words of a result come for the first time, where its tiles overlap and fan-outs further outside share
// them out. Internal to certificate/.
//
// Which tiles an instance gets depends on the loops inside those fan-outs: they are known when the last one is crossed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "certificate/common/charges.hpp"

namespace tilewright::certificate {

/// first_words() knows them all, whatever the tiles. It may know those of more words, too.
bool can_count_first_words(const Addresses& tensor, const Box& extents);

/// Fan-outs outside `level` that have a say in it (bits); 0 where the loops inside the tile decide.
std::uint32_t fanouts_that_share_out(const Charges& charges, int t, int level);

/// No loops outside the tile matter, wherever they stand: what fan-outs share out has none left.
bool is_shared_out(const Charges& charges, int t, int level, const Box& loops);

/// At least so many words come first, whatever loops follow.
FirstWords least_first_words(const Charges& charges, int t, int level, const Box& loops);

/// A fan-out with these loops inside.
struct Crossing {
    int fanout = 0;
    const Box* loops = nullptr;
};

/// When the tile has `loops` inside. `crossings`: all of the fan-outs that share out, from the inside. Nothing where
/// there are too many tiles, or words around them, to go through.
std::optional<FirstWords> first_words(const Charges& charges, int t, int level, const Box& loops,
                                      std::span<const Crossing> crossings);

}  // namespace tilewright::certificate
