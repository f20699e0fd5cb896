// Exact placement where fragmentation binds: blocks into the intervals between those that have to stay.
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
    std::vector<int> spilled;           ///< tiles that make room
    bool exact = false;                 ///< all ways were tried, or ruled out
};

/// Everything that is not pinned may go. Tries all ways to distribute the blocks over the intervals (20,000 steps at
/// most), those of an interval side by side at one of its ends, and takes the one whose spilled tiles are worth least:
/// the loss where there is one, else the stake. Nothing when no way fits.
std::optional<Packing> pack(const std::vector<MemoryMap::Segment>& segments, const std::vector<NewBlock>& blocks,
                            const Residents& residents);

}  // namespace tilewright::schedule
