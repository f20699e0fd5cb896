#include "schedule/regions.hpp"

#include <algorithm>
#include <tuple>

#include "schedule/timeline.hpp"

namespace tilewright::schedule {
namespace {

class RegionRun {
   public:
    RegionRun(const OperationGraph& graph, const std::array<std::int64_t, kOperands>& slots, LatencyRule rule,
              Replacement replacement)
        : graph_(graph), replacement_(replacement), timeline_(graph, rule), slot_of_(graph.tiles.size(), -1) {
        std::int64_t base = 0;
        for (std::size_t i = 0; i < kOperands; ++i) {
            const std::int64_t bytes = largest_block(graph.problem, static_cast<Operand>(i));
            regions_[i].base = base;
            regions_[i].slot_bytes = bytes;
            regions_[i].slots.resize(static_cast<std::size_t>(slots[i]));
            base += bytes * slots[i];
        }
    }

    Schedule run(const std::vector<std::vector<int>>& sets) {
        if (replacement_ != Replacement::oldest) foresee(sets);
        for (const std::vector<int>& set : sets) run_set(set);
        return timeline_.take();
    }

   private:
    struct Slot {
        int tile = -1;
        std::int64_t used = -1;  ///< the last set that used it
    };
    struct Region {
        std::int64_t base = 0;
        std::int64_t slot_bytes = 0;
        std::vector<Slot> slots;
    };

    Region& region(int tile) { return regions_[static_cast<std::size_t>(graph_.tile(tile).operand)]; }

    void run_set(const std::vector<int>& set) {
        timeline_.begin_set();
        for (const int operation : set)
            for (const int tile : graph_.operation(operation).tiles) keep(tile);
        for (const int operation : set) bring_in(operation);
        for (const int operation : set) timeline_.execute(operation, address(graph_.operation(operation).tiles[2]));
        for (const int operation : set)
            if (graph_.finishes(operation)) store(graph_.operation(operation).tiles[2]);
        ++now_;
    }

    // Slots of tiles that the set needs are not given away.
    void keep(int tile) {
        const int slot = slot_of_[static_cast<std::size_t>(tile)];
        if (slot >= 0) region(tile).slots[static_cast<std::size_t>(slot)].used = now_;
    }

    void bring_in(int operation) {
        const std::array<int, kOperands>& tiles = graph_.operation(operation).tiles;
        for (const int tile : tiles) {
            if (slot_of_[static_cast<std::size_t>(tile)] >= 0) continue;
            take_slot(tile);
            const bool fresh = graph_.tile(tile).operand == Operand::output && graph_.operation(operation).step == 0;
            if (!fresh) timeline_.load(tile, address(tile));
        }
    }

    void take_slot(int tile) {
        Region& its = region(tile);
        const auto chosen = std::min_element(its.slots.begin(), its.slots.end(),
                                             [&](const Slot& a, const Slot& b) { return goes_before(a, b); });
        if (chosen->tile >= 0) {
            timeline_.evict(chosen->tile);
            slot_of_[static_cast<std::size_t>(chosen->tile)] = -1;
        }
        *chosen = {tile, now_};
        slot_of_[static_cast<std::size_t>(tile)] = static_cast<int>(chosen - its.slots.begin());
    }

    bool goes_before(const Slot& a, const Slot& b) {
        if (replacement_ == Replacement::oldest) return a.used < b.used;
        return std::tuple(kept(a), -next_use(a.tile), a.used) < std::tuple(kept(b), -next_use(b.tile), b.used);
    }

    // 0: free. Tiles of this set stay; those of the set before, if it is to be waited for.
    int kept(const Slot& slot) const {
        if (slot.used == now_) return 3;
        if (slot.tile < 0) return 0;
        return replacement_ == Replacement::patient && slot.used == now_ - 1 ? 2 : 1;
    }

    // The next set that needs it; the number of sets when none does.
    std::int64_t next_use(int tile) {
        if (tile < 0) return 0;
        const auto t = static_cast<std::size_t>(tile);
        while (next_[t] < uses_[t].size() && uses_[t][next_[t]] < now_) ++next_[t];
        return next_[t] == uses_[t].size() ? sets_ : uses_[t][next_[t]];
    }

    void foresee(const std::vector<std::vector<int>>& sets) {
        sets_ = static_cast<std::int64_t>(sets.size());
        uses_.resize(graph_.tiles.size());
        next_.resize(graph_.tiles.size(), 0);
        for (std::size_t i = 0; i < sets.size(); ++i)
            for (const int operation : sets[i])
                for (const int tile : graph_.operation(operation).tiles)
                    uses_[static_cast<std::size_t>(tile)].push_back(static_cast<std::int64_t>(i));
    }

    std::int64_t address(int tile) {
        return region(tile).base + region(tile).slot_bytes * slot_of_[static_cast<std::size_t>(tile)];
    }

    void store(int tile) {
        timeline_.store(tile);
        region(tile).slots[static_cast<std::size_t>(slot_of_[static_cast<std::size_t>(tile)])].tile = -1;
        slot_of_[static_cast<std::size_t>(tile)] = -1;
    }

    const OperationGraph& graph_;
    const Replacement replacement_;
    Timeline timeline_;
    std::array<Region, kOperands> regions_;
    std::vector<int> slot_of_;
    std::vector<std::vector<std::int64_t>> uses_;  ///< by tile, the sets that need it
    std::vector<std::size_t> next_;                ///< of those, the first that is not over
    std::int64_t sets_ = 0;
    std::int64_t now_ = 0;
};

}  // namespace

Schedule run_in_regions(const OperationGraph& graph, const std::vector<std::vector<int>>& sets,
                        const std::array<std::int64_t, kOperands>& slots, LatencyRule rule, Replacement replacement) {
    return RegionRun(graph, slots, rule, replacement).run(sets);
}

}  // namespace tilewright::schedule
