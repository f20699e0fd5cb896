// A tile that overlaps with the places that it moves to (docs/model.md, "Perfect nests").
#pragma once

#include <cstdint>

namespace tilewright::optimal {

struct SlidingTile {
    std::uint32_t along = 0;  ///< dimensions that move the rank of the innermost loop that moves the tile
    double slide = 0.0;       ///< its move
    double reset = 0.0;       ///< how far all loops since have moved the tile, to be undone by the next one
    double words = 0.0;
    double kept = 0.0;  ///< words that a slide keeps

    /// Words that are still there when the next loop outside moves the tile on by `shift`.
    double saved(double shift) const {
        const double by = shift - reset;
        return by == 0.0 ? words : by == slide ? kept : 0.0;
    }
    /// The next loop outside moves it by `shift` in each of `factor` steps.
    void run(double shift, double factor) { reset += (factor - 1.0) * shift; }

    bool slides_along(int dimension) const { return (along >> dimension & 1U) != 0; }

    /// Whatever loops follow, they save as much of either. (Dimensions that move its rank only tell when no more of it
    /// will be saved.)
    bool moves_like(const SlidingTile& other) const {
        return slide == other.slide && reset == other.reset && words == other.words && kept == other.kept;
    }
};

}  // namespace tilewright::optimal
