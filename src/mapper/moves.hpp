// Random small changes of a mapping inside its mapspace: the moves of local searches. Internal to mapper/.
//
// Every move returns whether it changed the mapping. The result may use too few compute units
// (Mapspace::parallel_enough) or not fit into a memory.
// A valid starting point for a local search. Internal to mapper/.
#pragma once

#include <vector>

#include "base/numbers/random.hpp"
#include "mapper/chunks.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright {

/// Moves a temporal loop within the memory's order.
void move_loop(TilingLevel& level, int from, int to);

class Moves {
   public:
    /// Both have to outlive it.
    Moves(const Mapspace& mapspace, Random& random);

    /// Nothing to move: every dimension runs once.
    bool none() const { return dimensions_.empty(); }

    // Each returns false, with the mapping unchanged, if the draw led to nothing.

    /// Moves a prime factor of a dimension to another slot; with remainders, redraws two slots.
    bool move_factor(TilingPoint& point) const;
    /// Two dimensions exchange factors between two slots.
    bool swap_factors(TilingPoint& point) const;
    /// Swaps two temporal loops of a memory.
    bool swap_loops(TilingPoint& point) const;
    /// Moves one temporal loop within a memory's order.
    bool move_loop(TilingPoint& point) const;
    /// Redraws the layout of a memory's spatial loops, if that may matter.
    bool redraw_layout(TilingPoint& point) const;
    /// A memory keeps a tensor or drops it.
    bool flip_keep(TilingPoint& point) const;
    /// Adds a factor to an empty spatial slot of a dimension: more parallelism.
    bool grow(TilingPoint& point) const;
    /// Empties a spatial slot of a dimension: less parallelism.
    bool age(TilingPoint& point) const;

    std::size_t below(std::size_t bound) const { return static_cast<std::size_t>(random_.below(bound)); }

   private:
    /// A dimension's prime factor with source and target slots.
    struct PrimeMove {
        int dimension = 0;
        std::int32_t prime = 1;
        int from = 0;
        int to = 0;
    };
    struct LoopMove {
        int level = 0;
        int from = 0;
        int to = 0;
    };

    int dimension() const { return dimensions_[below(dimensions_.size())]; }
    int spatial_slot() const;
    bool draw_prime(const TilingPoint& point, int dimension, PrimeMove& move) const;
    bool take(TilingPoint& point, const PrimeMove& move) const;
    bool draw_loops(const TilingPoint& point, LoopMove& move) const;

    /// A tensor optional at a memory.
    struct Choice {
        int level = 0;
        std::uint32_t tensor = 0;  ///< its bit
    };

    const Mapspace& space_;
    Random& random_;
    std::vector<int> dimensions_;         ///< those with anything to move
    std::vector<std::vector<int>> open_;  ///< by dimension: slots open to its loops
    std::vector<int> orders_;             ///< memories with movable loops
    std::vector<Choice> choices_;
    int spatial_slots_ = 0;  ///< they are the first ones
};

/// Draws mappings until one is valid; at intervals shrinks the tiles of an invalid one to the minimum. Returns the
/// score of `point`, infinite if the chunk ended first.
Score draw_start(Chunk& chunk, TilingPoint& point);

/// Moves of one annealing, given those wanted: a short search had better cool several times than be caught hot.
int moves_per_start(int moves, const Budget& budget);

}  // namespace tilewright
