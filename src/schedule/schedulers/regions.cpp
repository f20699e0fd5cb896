#include "schedule/schedulers/regions.hpp"

#include <queue>

#include "base/required.hpp"

namespace tilewright::schedule {
namespace {

// Slots of one region: free ones, longest free first, and used ones, least recently used first. Two rings over one row
// of links; the last two links are their ends.
class Slots {
   public:
    explicit Slots(std::size_t count) : links_(count + 2) {
        links_[count] = {count, count};
        links_[count + 1] = {count + 1, count + 1};
        for (std::size_t i = 0; i < count; ++i) append(i, count);
    }

    bool has_free() const { return links_[free()].after != free(); }
    int longest_free() const { return static_cast<int>(links_[free()].after); }
    int longest_unused() const { return static_cast<int>(links_[busy()].after); }
    void use(int slot) { move(slot, busy()); }
    void free(int slot) { move(slot, free()); }

   private:
    struct Link {
        std::size_t before = 0;
        std::size_t after = 0;
    };
    std::size_t free() const { return links_.size() - 2; }
    std::size_t busy() const { return links_.size() - 1; }

    void append(std::size_t slot, std::size_t ring) {
        links_[slot] = {links_[ring].before, ring};
        links_[links_[ring].before].after = slot;
        links_[ring].before = slot;
    }
    void move(int slot, std::size_t ring) {
        const auto s = static_cast<std::size_t>(slot);
        links_[links_[s].before].after = links_[s].after;
        links_[links_[s].after].before = links_[s].before;
        append(s, ring);
    }

    std::vector<Link> links_;
};

// Next use of each tile, for a known order of sets.
class Uses {
   public:
    void foresee(const OperationGraph& graph, const std::vector<std::vector<int>>& sets) {
        none_ = static_cast<std::int64_t>(sets.size());
        next_.reserve(graph.tiles.size());
        end_.reserve(graph.tiles.size());
        std::size_t all = 0;
        for (const Tile& tile : graph.tiles) {
            next_.push_back(all);
            end_.push_back(all);
            all += static_cast<std::size_t>(tile.uses);
        }
        sets_.resize(all);
        for (std::size_t i = 0; i < sets.size(); ++i)
            for (const int operation : sets[i])
                for (const int tile : graph.operation(operation).tiles)
                    sets_[end_[tile]++] = static_cast<std::int64_t>(i);
    }

    /// The first set after `now`; the number of sets if none.
    std::int64_t next(int tile, std::int64_t now) {
        const auto t = static_cast<std::size_t>(tile);
        while (next_[t] < end_[t] && sets_[next_[t]] <= now) ++next_[t];
        return next_[t] == end_[t] ? none_ : sets_[next_[t]];
    }

   private:
    std::vector<std::int64_t> sets_;  ///< of each tile in sequence, ascending
    std::vector<std::size_t> next_;   ///< by tile, in sets_
    std::vector<std::size_t> end_;
    std::int64_t none_ = 0;
};

class RegionRun {
   public:
    RegionRun(const OperationGraph& graph, const std::array<std::int64_t, kOperands>& slots, LatencyRule rule,
              Replacement replacement)
        : graph_(graph), replacement_(replacement), timeline_(graph, rule), residencies_(graph.tiles.size()) {
        std::int64_t base = 0;
        regions_.reserve(kOperands);
        for (std::size_t i = 0; i < kOperands; ++i) {
            const std::int64_t bytes = largest_block(graph.problem, static_cast<Operand>(i));
            regions_.push_back({base, bytes, Slots(static_cast<std::size_t>(slots[i])),
                                std::vector<int>(static_cast<std::size_t>(slots[i]), -1), Queue()});
            base += bytes * slots[i];
        }
    }

    std::optional<Schedule> run(const std::vector<std::vector<int>>& sets, const Cutoff* cutoff) {
        if (replacement_ != Replacement::oldest) uses_.foresee(graph_, sets);
        for (const std::vector<int>& set : sets)
            if (!run_set(set, cutoff)) return std::nullopt;
        return timeline_.take();
    }

    std::optional<Schedule> run(SetSource& sets, const Cutoff* cutoff) {
        std::vector<int> set;
        while (sets.next(set))
            if (!run_set(set, cutoff)) return std::nullopt;
        return timeline_.take();
    }

   private:
    struct Residency {
        int slot = -1;
        std::int64_t used = -1;  ///< its last set
    };
    // A candidate for replacement. Valid until the tile's next use.
    struct Candidate {
        std::int64_t next = 0;  ///< next set using it
        std::int64_t used = 0;
        int tile = 0;

        bool operator<(const Candidate& other) const {
            if (next != other.next) return next < other.next;
            if (used != other.used) return used > other.used;
            return tile > other.tile;
        }
    };
    using Queue = std::priority_queue<Candidate>;
    struct Region {
        std::int64_t base = 0;
        std::int64_t slot_bytes = 0;
        Slots slots;
        std::vector<int> tiles;  ///< by slot; -1: free
        Queue queue;
    };

    Region& region(int tile) { return regions_[static_cast<std::size_t>(graph_.tile(tile).operand)]; }
    Residency& residency(int tile) { return residencies_[tile]; }

    // False if the schedule is abandoned.
    bool run_set(const std::vector<int>& set, const Cutoff* cutoff) {
        timeline_.begin_set();
        for (const int operation : set)
            for (const int tile : graph_.operation(operation).tiles) keep(tile);
        for (const int operation : set) bring_in(operation);
        for (const int operation : set) timeline_.execute(operation, address(graph_.operation(operation).tiles[2]));
        if (replacement_ != Replacement::oldest) offer(set);
        for (const int operation : set)
            if (graph_.finishes(operation)) store(graph_.operation(operation).tiles[2]);
        ++now_;
        return cutoff == nullptr || !timeline_.hopeless(*cutoff);
    }

    // Protects the slots of the set's tiles.
    void keep(int tile) {
        if (residency(tile).slot < 0) return;
        residency(tile).used = now_;
        region(tile).slots.use(residency(tile).slot);
    }

    void bring_in(int operation) {
        const std::array<int, kOperands>& tiles = graph_.operation(operation).tiles;
        for (const int tile : tiles) {
            if (residency(tile).slot >= 0 || graph_.tile(tile).block_bytes == 0) continue;
            take_slot(tile);
            const bool fresh = graph_.tile(tile).operand == Operand::output && graph_.operation(operation).step == 0;
            if (!fresh) timeline_.load(tile, address(tile));
        }
    }

    void take_slot(int tile) {
        Region& its = region(tile);
        const int slot = its.slots.has_free() ? its.slots.longest_free() : victim(its);
        int& there = its.tiles[slot];
        if (there >= 0) {
            timeline_.evict(there);
            residency(there).slot = -1;
        }
        there = tile;
        residency(tile) = {slot, now_};
        its.slots.use(slot);
    }

    int victim(Region& its) {
        if (replacement_ == Replacement::oldest) return its.slots.longest_unused();
        std::vector<Candidate> recent;  // last choice of `patient`
        while (true) {
            if (its.queue.empty()) {
                const int slot = residency(recent.front().tile).slot;
                for (std::size_t i = 1; i < recent.size(); ++i) its.queue.push(recent[i]);
                return slot;
            }
            const Candidate top = its.queue.top();
            its.queue.pop();
            if (residency(top.tile).slot < 0 || residency(top.tile).used != top.used) continue;
            if (replacement_ == Replacement::patient && top.used == now_ - 1) {
                recent.push_back(top);
                continue;
            }
            for (const Candidate& one : recent) its.queue.push(one);
            return residency(top.tile).slot;
        }
    }

    // The set's tiles become replaceable from the next one on.
    void offer(const std::vector<int>& set) {
        for (const int operation : set)
            for (const int tile : graph_.operation(operation).tiles)
                if (graph_.tile(tile).block_bytes > 0) region(tile).queue.push({uses_.next(tile, now_), now_, tile});
    }

    // Of a kept tile: 0, unused.
    std::int64_t address(int tile) { return region(tile).base + region(tile).slot_bytes * residency(tile).slot; }

    void store(int tile) {
        timeline_.store(tile);
        if (graph_.tile(tile).block_bytes == 0) return;
        region(tile).tiles[residency(tile).slot] = -1;
        region(tile).slots.free(residency(tile).slot);
        residency(tile).slot = -1;
    }

    const OperationGraph& graph_;
    const Replacement replacement_;
    Timeline timeline_;
    std::vector<Region> regions_;         ///< by Operand
    std::vector<Residency> residencies_;  ///< by tile
    Uses uses_;
    std::int64_t now_ = 0;
};

}  // namespace

Schedule run_in_regions(const OperationGraph& graph, const std::vector<std::vector<int>>& sets,
                        const std::array<std::int64_t, kOperands>& slots, LatencyRule rule, Replacement replacement) {
    return required(RegionRun(graph, slots, rule, replacement).run(sets, nullptr));
}

std::optional<Schedule> run_in_regions(const OperationGraph& graph, const std::vector<std::vector<int>>& sets,
                                       const std::array<std::int64_t, kOperands>& slots, LatencyRule rule,
                                       Replacement replacement, const Cutoff& cutoff) {
    return RegionRun(graph, slots, rule, replacement).run(sets, &cutoff);
}

std::optional<Schedule> run_in_regions(const OperationGraph& graph, SetSource& sets,
                                       const std::array<std::int64_t, kOperands>& slots, LatencyRule rule,
                                       const Cutoff& cutoff) {
    return RegionRun(graph, slots, rule, Replacement::oldest).run(sets, &cutoff);
}

}  // namespace tilewright::schedule
