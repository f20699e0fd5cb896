// A tile overlapping its next positions (docs/model.md, "Perfect nests").
#pragma once

#include <cstdint>

namespace tilewright::optimal {

struct SlidingTile {
    std::uint32_t along = 0;  ///< dimensions moving the rank of the innermost loop that moves the tile
    double slide = 0.0;       ///< shift of that loop
    double reset = 0.0;       ///< shift of the tile by all loops since, undone by the next one
    double words = 0.0;
    double kept = 0.0;  ///< words kept by a slide

    /// Words kept when the next loop outside moves the tile by `shift`.
    double saved(double shift) const {
        const double by = shift - reset;
        return by == 0.0 ? words : by == slide ? kept : 0.0;
    }
    /// The next loop outside moves the tile by `shift` in each of `factor` steps.
    void run(double shift, double factor) { reset += (factor - 1.0) * shift; }

    bool slides_along(int dimension) const { return (along >> dimension & 1U) != 0; }

    /// Any later loops save the same words of both. (Dimensions of the sliding rank only decide when saving ends.)
    bool moves_like(const SlidingTile& other) const {
        return slide == other.slide && reset == other.reset && words == other.words && kept == other.kept;
    }
};

}  // namespace tilewright::optimal
