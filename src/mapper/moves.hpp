// Random small changes of a mapping inside its mapspace: the vocabulary of the searches that go from mapping to
// mapping. Internal to mapper/.
//
// Every move says whether it changed anything: if not, the mapping is as it was. The result may use too few compute
// units (Mapspace::parallel_enough) or not fit into a memory.
#pragma once

#include <vector>

#include "base/numbers/random.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright {

/// Takes the temporal loop at one place of the memory's order to another one.
void move_loop(TilingLevel& level, int from, int to);

class Moves {
   public:
    /// Both have to outlive it.
    Moves(const Mapspace& mapspace, Random& random);

    /// True when there is nothing to move: every dimension runs once.
    bool none() const { return dimensions_.empty(); }

    // Each returns false, and leaves the mapping as it was, when what was drawn came to nothing.

    /// Takes a prime factor of some dimension from one slot to another; where factors may leave remainders, redraws two
    /// slots of it.
    bool move_factor(TilingPoint& point) const;
    /// Two dimensions exchange factors between two slots: what one gives up there, the other takes.
    bool swap_factors(TilingPoint& point) const;
    /// Two temporal loops of a memory change places.
    bool swap_loops(TilingPoint& point) const;
    /// One temporal loop of a memory goes to another place in its order.
    bool move_loop(TilingPoint& point) const;
    /// The spatial loops of a memory lie otherwise on the mesh, where that may matter.
    bool redraw_layout(TilingPoint& point) const;
    /// A memory keeps a tensor or no longer does.
    bool flip_keep(TilingPoint& point) const;
    /// Gives some dimension a factor in a spatial slot that has none of it: one more way to be parallel.
    bool grow(TilingPoint& point) const;
    /// Empties a spatial slot of one dimension: one way less.
    bool age(TilingPoint& point) const;

    std::size_t below(std::size_t bound) const { return static_cast<std::size_t>(random_.below(bound)); }

   private:
    /// A prime factor of a dimension on its way from one slot to another.
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

    /// A tensor that a memory may keep or not.
    struct Choice {
        int level = 0;
        std::uint32_t tensor = 0;  ///< its bit
    };

    const Mapspace& space_;
    Random& random_;
    std::vector<int> dimensions_;         ///< those with anything to move
    std::vector<std::vector<int>> open_;  ///< by dimension: the slots that may have a loop of it
    std::vector<int> orders_;             ///< memories whose loops may change places
    std::vector<Choice> choices_;
    int spatial_slots_ = 0;  ///< they are the first ones
};

}  // namespace tilewright
