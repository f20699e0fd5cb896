// MemoryMap: addresses of tiles in the scratchpad, and evictions.
//
// Flexer, section 4.1 and Algorithm 2. The map is a row of segments, each a tile's block or free; freed segments keep
// their ends, so that a block of equal size can replace a dead one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewright::schedule {

/// Spill policy for a block without room.
enum class MemoryPolicy {
    least_fragmentation,  ///< Algorithm 2: the run of neighbours with the smallest rest, then the least bytes x
                          ///< remaining uses, then the fewest blocks
    first_fit,            ///< the first block large enough
    small_first,          ///< the smallest blocks, until there is room
    least_loss,           ///< the run of neighbours with the least loss, then the smallest rest
    exact,                ///< as least_fragmentation; on failure all placements of a set are tried
};

/// The policies' inputs, by tile.
struct Residents {
    std::span<const char> pinned;         ///< must stay
    std::span<const std::int64_t> stake;  ///< least_fragmentation: bytes x remaining uses
    std::span<const double> loss;         ///< least_loss: cost of an eviction
};

class MemoryMap {
   public:
    struct Segment {
        std::int64_t address = 0;
        std::int64_t bytes = 0;
        int tile = -1;           ///< -1: free
        std::int64_t freed = 0;  ///< free: its rank in order of freeing

        bool operator==(const Segment&) const = default;
    };

    explicit MemoryMap(std::int64_t bytes) : segments_{{0, bytes, -1, 0}}, free_bytes_(bytes) {}

    /// A block for `tile`: in the place of a dead block of equal size, else in the smallest sufficient free interval,
    /// else where `policy` spills; spilled tiles are removed and appended to `spilled`. Empty without a place
    /// (`spilled` may have grown).
    std::optional<std::int64_t> allocate(int tile, std::int64_t bytes, MemoryPolicy policy, const Residents& residents,
                                         std::vector<int>& spilled, bool from_top = false);
    /// Requires a free interval.
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
