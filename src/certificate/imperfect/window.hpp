// Imperfect window: an overlapping delivery, loop by loop, with spatial remainders. Internal to certificate/.
//
// Starts with the whole tile in every step; every loop subtracts the most its advances may save. An advance is
// disturbed if an instance was idle before it or changes its place in a repacking fan-out: the instance's words are
// then unknown, and all of the tile may be saved.
#pragma once

#include <cstdint>

#include "certificate/imperfect/charges.hpp"

namespace tilewright::certificate {

struct ImperfectWindowDelivery {
    std::int8_t tensor = 0;
    std::int8_t level = 0;
    Move widths{};         ///< of the tile, per rank
    Move means{};          ///< mean, for a rank of a single dimension
    Move missing{};        ///< most it may be narrower in last chunks
    Move slide{};          ///< shift by the first loop
    Move reset{};          ///< shift by the loops so far, undone by the next advance
    bool steady = true;    ///< all tiles have these widths
    bool uniform = true;   ///< before every outer advance the tile slid as by the first loop
    bool settled = false;  ///< no further savings
    Sent sent;
    Sent least;  ///< for any later loops

    auto operator<=>(const ImperfectWindowDelivery& other) const = default;
};

/// The loop of `dimension` with `factor` iterations is the first to move the tile, from `at` to `after`.
ImperfectWindowDelivery first_slide(const ImperfectCharges& charges, int t, int level, const Where& at,
                                    const Where& after, int dimension, double factor);

void slide_on(const ImperfectCharges& charges, const Where& at, const Where& after, int dimension, double factor,
              ImperfectWindowDelivery& window);

}  // namespace tilewright::certificate
