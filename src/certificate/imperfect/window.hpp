// Imperfect window: a delivery whose tiles overlap, on its way from loop to loop, where spatial factors may leave
// remainders. Internal to certificate/.
//
// It starts as if every step sent the whole tile; every loop takes off what its advances may save at most. An advance
// is disturbed when an instance was without work before it, or changes its place in a fan-out that repacks: then
// nothing is known of what the instance holds, and all of the tile may be saved.
#pragma once

#include <cstdint>

#include "certificate/imperfect/charges.hpp"

namespace tilewright::certificate {

struct ImperfectWindowDelivery {
    std::int8_t tensor = 0;
    std::int8_t level = 0;
    Move widths{};         ///< of the tile, per rank
    Move means{};          ///< on average, where a rank has a single dimension
    Move missing{};        ///< how much narrower it may be in last chunks
    Move slide{};          ///< how the first loop moves it
    Move reset{};          ///< how far the loops so far have moved it: the next advance undoes it
    bool steady = true;    ///< all tiles have these widths
    bool uniform = true;   ///< before every advance of a loop further out the tile was slid as the first loop slides it
    bool settled = false;  ///< nothing can be saved any more
    Sent sent;
    Sent least;  ///< whatever follows

    auto operator<=>(const ImperfectWindowDelivery& other) const = default;
};

/// The loop of `dimension` that runs `factor` times is the first one to move the tile; it leads from `at` to `after`.
ImperfectWindowDelivery first_slide(const ImperfectCharges& charges, int t, int level, const Where& at,
                                    const Where& after, int dimension, double factor);

/// The next loop outwards.
void slide_on(const ImperfectCharges& charges, const Where& at, const Where& after, int dimension, double factor,
              ImperfectWindowDelivery& window);

}  // namespace tilewright::certificate
