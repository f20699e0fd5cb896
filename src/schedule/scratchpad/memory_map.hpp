// MemoryMap: which tile lies where in the scratchpad, and who has to leave when another comes.
//
// Flexer, section 4.1 and Algorithm 2. The map is a row of segments, each a tile's block or free; freed segments keep
// their ends, so that a block of equal size can take the place of a dead one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewright::schedule {

/// Whom to spill for a block that finds no room.
enum class MemoryPolicy {
    least_fragmentation,  ///< Algorithm 2: the run of neighbours that leaves the smallest rest, then the least bytes x
                          ///< remaining uses, then the fewest blocks
    first_fit,            ///< the first block that is large enough
    small_first,          ///< the smallest blocks, until there is room
    least_loss,           ///< the run of neighbours with the least loss, then the smallest rest
    exact,                ///< as least_fragmentation; where that finds no room, all ways to place a set are tried
};

/// What the policies know of the tiles, by tile.
struct Residents {
    std::span<const char> pinned;         ///< must stay
    std::span<const std::int64_t> stake;  ///< least_fragmentation: bytes x remaining uses
    std::span<const double> loss;         ///< least_loss: what it costs that the tile leaves
};

class MemoryMap {
   public:
    struct Segment {
        std::int64_t address = 0;
        std::int64_t bytes = 0;
        int tile = -1;           ///< -1: free
        std::int64_t freed = 0;  ///< free: how many blocks had been freed before

        bool operator==(const Segment&) const = default;
    };

    explicit MemoryMap(std::int64_t bytes) : segments_{{0, bytes, -1, 0}}, free_bytes_(bytes) {}

    /// A block for `tile`: in the place of a dead block of equal size, else in the smallest free interval that holds
    /// it, else where `policy` spills; those are removed and appended to `spilled`. Nothing when it cannot be placed
    /// (and `spilled` may have grown).
    std::optional<std::int64_t> allocate(int tile, std::int64_t bytes, MemoryPolicy policy, const Residents& residents,
                                         std::vector<int>& spilled, bool from_top = false);
    /// Puts it there. Requires that the interval is free.
    void put(int tile, std::int64_t address, std::int64_t bytes);
    void release(int tile);
    void clear();

    std::int64_t free_bytes() const { return free_bytes_; }
    const std::vector<Segment>& segments() const { return segments_; }

   private:
    struct SegmentRange {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    std::optional<std::int64_t> free_place(std::int64_t bytes, bool from_top) const;
    std::optional<SegmentRange> victims(std::int64_t bytes, MemoryPolicy policy, const Residents& residents) const;
    std::optional<SegmentRange> best_run(std::int64_t bytes, MemoryPolicy policy, const Residents& residents) const;
    std::optional<SegmentRange> first_block(std::int64_t bytes, const Residents& residents) const;
    std::optional<SegmentRange> smallest_block(const Residents& residents) const;
    void spill(const SegmentRange& run, std::vector<int>& spilled);

    std::vector<Segment> segments_;  ///< by address, without gaps
    std::int64_t free_bytes_;
    std::int64_t freed_ = 0;  ///< blocks so far
};

}  // namespace tilewright::schedule
