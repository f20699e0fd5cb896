// Exact placement under fragmentation: blocks into the intervals between pinned ones.
#pragma once

#include <optional>
#include <vector>

#include "schedule/scratchpad/memory_map.hpp"

namespace tilewright::schedule {

struct NewBlock {
    int tile = 0;
    std::int64_t bytes = 0;
};

struct Packing {
    std::vector<std::int64_t> address;  ///< by new block
    std::vector<int> spilled;           ///< evicted tiles
    bool exact = false;                 ///< exhaustive, or ruled out
};

/// Everything unpinned may go. Tries all distributions of the blocks over the intervals (at most 20,000 steps), those
/// of an interval side by side at one of its ends, and takes the one with the least value of spilled tiles: the loss if
/// given, else the stake. Empty if none fits.
std::optional<Packing> pack(const std::vector<MemoryMap::Segment>& segments, const std::vector<NewBlock>& blocks,
                            const Residents& residents);

}  // namespace tilewright::schedule
