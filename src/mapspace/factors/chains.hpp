// ChainSpace: all ways to cut one dimension into tiles of tiles, with or without remainders, never listed.
//
// A chain deals one extent to slots, innermost first; a slot is the temporal loops of a memory or one axis of a
// fan-out. Slot i finds chunks(i) chunks of work and groups them by its extent; its last group may be smaller:
//
//     chunks(0) = extent        chunks(i + 1) = ceil(chunks(i) / extent of slot i)        chunks(slots) = 1
//
// The remainder of slot i, the size of that last group, is (chunks(i) - 1) mod extent + 1: a digit of extent - 1 in the
// mixed radix of the chain, plus one, as in mapping/mapping.hpp. A loop divides if remainder and extent are equal.
//
// Canonical: 1 <= extent <= chunks(i) in every slot; a larger extent would never be reached. A chain is then exactly a
// mapping's loops: the outermost loop of more than one step is full, loops of one step vanish, and two chains are equal
// exactly if their loops are.
//
// chunks() has only about 2 sqrt(extent) possible values, and a slot's extents fall into runs with the same number of
// chunks left. A table over (slot, chunks) counts the completions; all else walks runs. Immutable; thread-safe.
//
//     const ChainSpace space(100, {{.at_most = 6, .imperfect_up_to = 6}, {}});  // 6 processors, any number of rounds
//     space.count();  // 6: (1 100), (2 50), (4 25) and (5 20) divide; (3 34) and (6 17) are Ruby's
// Possible extents of one slot of a chain, as runs of neighbours with the same number of chunks left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/numbers/checked.hpp"
#include "base/numbers/count.hpp"
#include "base/numbers/random.hpp"

namespace tilewright {

/// A slot's bounds. An extent above `imperfect_up_to` has to divide the chunks.
struct ChainSlot {
    std::int64_t at_least = 1;
    std::int64_t at_most = INT64_MAX;
    std::int64_t imperfect_up_to = 1;

    bool allows(std::int64_t extent, std::int64_t chunks) const {
        return std::max<std::int64_t>(at_least, 1) <= extent && extent <= std::min(at_most, chunks) &&
               (extent <= imperfect_up_to || chunks % extent == 0);
    }
    bool operator==(const ChainSlot&) const = default;
};

/// The extents first, first + 1, ..., last leave `chunks` chunks each.
struct ExtentRun {
    std::int64_t first = 1;
    std::int64_t last = 1;
    std::int64_t chunks = 1;

    std::int64_t size() const { return last - first + 1; }
};

/// Calls `visit(run)` for all runs of extents allowed to `slot` at `chunks`, ascending, until it returns false; then
/// false. At most 2 sqrt(chunks) steps.
template <typename Visit>
bool visit_runs(const ChainSlot& slot, std::int64_t chunks, Visit&& visit) {
    const std::int64_t last = std::min(slot.at_most, chunks);
    for (std::int64_t first = std::max<std::int64_t>(slot.at_least, 1), end = 0; first <= last; first = end + 1) {
        const std::int64_t left = ceil_div(chunks, first);
        end = left == 1 ? last : std::min(last, (chunks - 1) / (left - 1));
        // Only the smallest extent that leaves `left` chunks can divide.
        const bool divides = chunks % first == 0 && first > slot.imperfect_up_to;
        const std::int64_t end_allowed = divides ? first : std::min(end, slot.imperfect_up_to);
        if (first <= end_allowed && !visit(ExtentRun{first, end_allowed, left})) return false;
    }
    return true;
}

/// `slot` without extents that leave fewer than `fewest` or more than `most` of `chunks`.
inline ChainSlot leaving(const ChainSlot& slot, std::int64_t chunks, std::int64_t fewest, std::int64_t most) {
    ChainSlot narrowed = slot;
    narrowed.at_least = std::max(slot.at_least, ceil_div(chunks, most));
    if (fewest > 1) narrowed.at_most = std::min(slot.at_most, (chunks - 1) / (fewest - 1));
    return narrowed;
}

/// Extents by slot, innermost first.
using Chain = std::vector<std::int64_t>;

class ChainSpace {
   public:
    /// Throws OverflowError if the extent is not in [1, 2^31) or the number of chains exceeds 128 bits.
    ChainSpace(std::int64_t extent, std::vector<ChainSlot> slots);

    std::int64_t extent() const { return extent_; }
    int slot_count() const { return static_cast<int>(slots_.size()); }
    const ChainSlot& slot(int i) const { return slots_[i]; }

    Count count() const { return ways(0, extent_); }

    /// Number of ways to cover `chunks` by the slots from `slot` on. Requires a possible value of chunks().
    Count ways(int slot, std::int64_t chunks) const { return ways_[slot][index_of(chunks)]; }

    /// True for the canonical chains allowed by the slots.
    bool contains(const Chain& chain) const;

    /// Position of a chain in lexicographic order. Requires contains(chain).
    Count rank(const Chain& chain) const;

    /// The chain of that rank. Requires rank < count().
    Chain at(Count rank) const;

    /// Any chain, each equally likely. Requires count() > 0.
    Chain draw(Random& random) const { return at(draw_below(random, count())); }

    /// Calls `visit` for every chain in order until it returns false; then false.
    bool enumerate(const std::function<bool(const Chain&)>& visit) const;

    /// Calls `visit` once per chain differing in one or two slots, until it returns false. Requires contains(chain).
    bool visit_neighbours(const Chain& chain, const std::function<bool(const Chain&)>& visit) const;

    /// Redraws a random pair of slots: each of the other chains with all third slots equal is equally likely. False,
    /// without change, if `chain` has no neighbours. Requires contains(chain).
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

/// By slot: size of the last group, equal to the extent if it divides. Requires a chain of this extent.
std::vector<std::int64_t> remainders_of(std::int64_t extent, const Chain& chain);

}  // namespace tilewright
