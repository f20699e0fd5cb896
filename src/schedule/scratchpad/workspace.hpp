// Workspace: scratchpad and clock of a partial schedule. Plans a set's transfers without executing them, and executes
// plans.
#pragma once

#include <optional>
#include <vector>

#include "schedule/scratchpad/memory_map.hpp"
#include "schedule/scratchpad/timeline.hpp"

namespace tilewright::schedule {

/// Transfers and evictions before a set.
struct MemoryPlan {
    struct Placement {
        int tile = 0;
        std::int64_t address = 0;
        bool load = false;  ///< false for an output created here
    };
    std::vector<int> spilled;
    std::vector<Placement> placed;
    std::int64_t overhead_cycles = 0;  ///< of loads and of partial sums written back
    std::int64_t moved_bytes = 0;
    std::int64_t spilled_bytes = 0;  ///< of evicted tiles with uses left
    std::int64_t used_bytes = 0;     ///< of the scratchpad, then

    void reset() {
        spilled.clear();
        placed.clear();
        overhead_cycles = moved_bytes = spilled_bytes = used_bytes = 0;
    }
};

class Workspace {
   public:
    Workspace(const OperationGraph& graph, LatencyRule rule);

    /// Empty without room for the blocks. `loss`: for MemoryPolicy::least_loss, by tile.
    std::optional<MemoryPlan> plan(const std::vector<int>& set, MemoryPolicy policy, std::span<const double> loss = {});
    /// The same into `plan`, reusing its memory; false without room for the blocks.
    bool plan(const std::vector<int>& set, MemoryPolicy policy, std::span<const double> loss, MemoryPlan& plan);
    /// Of the loads that the set needs at least.
    std::int64_t load_cycles(const std::vector<int>& set);
    /// Last resort for one operation: evicts everything. Always works for fitting problems.
    MemoryPlan plan_alone(int operation) const;
    /// Moves tiles, runs the set, stores final outputs, frees unneeded tiles.
    void run(const std::vector<int>& set, const MemoryPlan& plan);

    const OperationGraph& graph() const { return graph_; }
    const std::vector<char>& resident() const { return resident_; }
    int remaining_uses(int tile) const { return remaining_[tile]; }
    std::int64_t free_bytes() const { return map_.free_bytes(); }
    const std::vector<MemoryMap::Segment>& segments() const { return map_.segments(); }
    const Timeline& timeline() const { return timeline_; }
    Schedule take() { return timeline_.take(); }

   private:
    void find_missing_tiles(const std::vector<int>& set);
    void pin(const std::vector<int>& set, char value);
    bool place(MemoryPolicy policy, std::span<const double> loss, MemoryPlan& plan);
    bool place_one_by_one(MemoryPolicy policy, std::span<const double> loss, MemoryPlan& plan);
    bool place_together(std::span<const double> loss, MemoryPlan& plan) const;
    void account(MemoryPlan& plan) const;
    bool must_load(int tile) const;

    const OperationGraph& graph_;
    Timeline timeline_;
    MemoryMap map_;
    std::vector<char> resident_;
    std::vector<char> pinned_;  ///< the set's tiles during planning
    std::vector<int> remaining_;
    std::vector<std::int64_t> stake_;  ///< bytes x remaining uses
    MemoryMap tried_;                  ///< a copy to plan on
    std::vector<int> missing_;         ///< of the planned set
};

// Exact placement under fragmentation: blocks into the intervals between pinned ones.

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
