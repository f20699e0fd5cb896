// ChainSpace: all ways to cut one dimension into tiles of tiles, with or without remainders, never listed.
//
// A chain deals one extent to slots, innermost first; a slot is the temporal loops of a memory or one axis of a
// fan-out. Slot i finds chunks(i) chunks of work and groups them by its extent; its last group may be smaller:
//
//     chunks(0) = extent        chunks(i + 1) = ceil(chunks(i) / extent of slot i)        chunks(slots) = 1
//
// The remainder of slot i, the size of that last group, is (chunks(i) - 1) mod extent + 1: a digit of extent - 1 in the
// mixed radix of the chain, plus one, as in mapping/mapping.hpp. A loop divides where remainder and extent are equal.
//
// Canonical: 1 <= extent <= chunks(i) in every slot. A larger extent would never be reached: the loop runs chunks(i)
// times, as does the one of that extent. So a chain is a mapping's loops and nothing else: the outermost loop of more
// than one step is full, loops of one step vanish, and two chains are equal exactly when their loops are.
//
// There are only about 2 sqrt(extent) values that chunks() can take, and a slot's extents fall into runs that leave the
// same number of chunks. A table over (slot, chunks) counts the ways to go on; all else walks runs. Immutable;
// thread-safe.
//
//     const ChainSpace space(100, {{.at_most = 6, .imperfect_up_to = 6}, {}});  // 6 processors, any number of rounds
//     space.count();  // 6: (1 100), (2 50), (4 25) and (5 20) divide; (3 34) and (6 17) are Ruby's
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/numbers/count.hpp"
#include "base/numbers/random.hpp"
#include "mapspace/factors/extent_runs.hpp"

namespace tilewright {

/// Extents by slot, innermost first.
using Chain = std::vector<std::int64_t>;

class ChainSpace {
   public:
    /// Throws OverflowError when the extent is not in [1, 2^31) or there are more chains than 128 bits can count.
    ChainSpace(std::int64_t extent, std::vector<ChainSlot> slots);

    std::int64_t extent() const { return extent_; }
    int slot_count() const { return static_cast<int>(slots_.size()); }
    const ChainSlot& slot(int i) const { return slots_[i]; }

    /// Number of chains.
    Count count() const { return ways(0, extent_); }

    /// Number of ways in which the slots from `slot` on can deal with `chunks`. Requires a value that chunks() can
    /// take.
    Count ways(int slot, std::int64_t chunks) const { return ways_[slot][index_of(chunks)]; }

    /// True for the canonical chains that the slots allow.
    bool contains(const Chain& chain) const;

    /// Position of a chain in lexicographic order. Requires contains(chain).
    Count rank(const Chain& chain) const;

    /// The chain of that rank. Requires rank < count().
    Chain at(Count rank) const;

    /// Any chain, each equally likely. Requires count() > 0.
    Chain draw(Random& random) const { return at(draw_below(random, count())); }

    /// Calls `visit` for every chain in order until it returns false. Returns false when stopped.
    bool enumerate(const std::function<bool(const Chain&)>& visit) const;

    /// Calls `visit` once for every chain that differs from this one in one or two slots, until it returns false.
    /// Requires contains(chain).
    bool visit_neighbours(const Chain& chain, const std::function<bool(const Chain&)>& visit) const;

    /// Redraws one pair of slots, picked at random: each of the other chains that differ in no third slot is equally
    /// likely. False, changing nothing, when `chain` has no neighbours. Requires contains(chain).
    bool step(Random& random, Chain& chain) const;

   private:
    int index_of(std::int64_t chunks) const;
    void count_ways(int slot);
    bool enumerate_from(int slot, std::int64_t chunks, Chain& chain,
                        const std::function<bool(const Chain&)>& visit) const;

    std::int64_t extent_;
    std::int64_t root_;                 ///< floor(sqrt(extent - 1))
    std::vector<std::int64_t> chunks_;  ///< all values of ceil(extent / k), ascending
    std::vector<ChainSlot> slots_;
    std::vector<std::vector<Count>> ways_;  ///< [slot][index of chunks], one slot more
};

/// By slot: the size of the last group, equal to the extent where it divides. Requires a chain of this extent.
std::vector<std::int64_t> remainders_of(std::int64_t extent, const Chain& chain);

}  // namespace tilewright
