// Random small changes of a mapping inside its mapspace: the vocabulary of the searches that go from mapping to
// mapping. Internal to mapper/.
//
// Every move says whether it changed anything; the result may use too few compute units (Mapspace::parallel_enough) or
// not fit into a memory.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright {

/// Takes the temporal loop at one place of the memory's order to another one.
void move_loop(PerfectLevel& level, int from, int to);

class Moves {
   public:
    /// Both have to outlive it.
    Moves(const Mapspace& mapspace, Random& random);

    /// True when there is nothing to move: every dimension runs once.
    bool none() const { return dimensions_.empty(); }

    /// Takes a prime factor of some dimension from one slot to another; where factors may leave remainders, redraws two
    /// slots of it.
    bool move_factor(PerfectPoint& point) const;
    /// Two dimensions exchange factors between two slots: what one gives up there, the other takes.
    bool swap_factors(PerfectPoint& point) const;
    /// Two temporal loops of a memory change places.
    bool swap_loops(PerfectPoint& point) const;
    /// One temporal loop of a memory goes to another place in its order.
    bool move_loop(PerfectPoint& point) const;
    /// A spatial loop turns from X to Y or back.
    bool turn(PerfectPoint& point) const;
    /// A memory keeps a tensor or no longer does.
    bool flip_keep(PerfectPoint& point) const;
    /// Gives some dimension a factor in a spatial slot that has none of it: one more way to be parallel.
    bool grow(PerfectPoint& point) const;
    /// Empties a spatial slot of one dimension: one way less.
    bool age(PerfectPoint& point) const;

    std::size_t below(std::size_t bound) const { return static_cast<std::size_t>(random_.below(bound)); }

   private:
    int dimension() const { return dimensions_[below(dimensions_.size())]; }
    int slot() const { return static_cast<int>(below(space_.slots().size())); }
    int level() const { return static_cast<int>(below(static_cast<std::size_t>(space_.level_count()))); }
    int spatial_slot() const;
    bool shift(PerfectPoint& point, int dimension, int from, int to) const;

    const Mapspace& space_;
    Random& random_;
    std::vector<int> dimensions_;  ///< those with anything to move
    int spatial_slots_ = 0;        ///< they are the first ones
};

}  // namespace tilewright
