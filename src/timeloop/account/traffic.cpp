#include "timeloop/account/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numbers/checked.hpp"

namespace tilewright::account {
namespace {

/// Half away from zero.
double rounded(double value) { return std::round(value); }

/// partition * tile / shared, without overflow of the product.
std::int64_t share_of(std::int64_t partition, std::int64_t tile, std::int64_t shared) {
    __extension__ typedef __int128 Wide;
    const Wide share = static_cast<Wide>(partition) * tile / shared;
    if (share > std::numeric_limits<std::int64_t>::max()) throw OverflowError();
    return static_cast<std::int64_t>(share);
}

double delivered(const TrafficTable& table) {
    double words = 0.0;
    for (const Traffic& traffic : table) words += traffic.accesses * static_cast<double>(traffic.multicast);
    return words;
}

class Collapser {
   public:
    Collapser(const WalkCounts& counts, int tensor, const TensorRules& rules, Unsigned& guard)
        : tensor_(tensor), rules_(rules), guard_(guard) {
        for (const auto& storage : counts.storages) add_level(storage[tensor]);
        set_partitions(counts);
    }

    std::vector<StorageTraffic> run(bool& refused) {
        set_parent_shares();
        refused = !spread_multicasts();
        mask_inner();
        mask_outer();
        add_peer_traffic();
        for (int level = 0; level < size(); ++level) set_counts(level);
        return std::move(levels_);
    }

   private:
    int size() const { return static_cast<int>(levels_.size()); }

    void add_level(const StorageCounts& counts) {
        StorageTraffic level;
        const LevelOptions& switches = rules_.switches[levels_.size()];
        level.tile_words = counts.tile_words;
        level.traffic = counts.traffic;
        level.link_transfers = static_cast<double>(counts.link_transfers);
        level.replication = static_cast<double>(counts.replication);
        level.fanout = counts.fanout;
        level.accesses = total_accesses(counts.traffic);
        level.rewrites_first = switches.rmw_first_update.has(tensor_);
        level.no_coalesce = switches.no_coalesce.has(tensor_);
        levels_.push_back(std::move(level));
    }

    /// Outside in: a partition shrinks by each level's spatial spread.
    void set_partitions(const WalkCounts& counts) {
        std::int64_t partition = levels_.back().tile_words;
        levels_.back().partition_words = partition;
        for (int level = size() - 2; level >= 0; --level) {
            const StorageCounts& outside = counts.storages[level + 1][tensor_];
            const std::int64_t tile = levels_[level].tile_words;
            const std::int64_t shared = outside.has_block ? outside.block_words : tile;
            if (shared != 0) partition = share_of(partition, tile, shared);
            levels_[level].partition_words = partition;
        }
    }

    /// The next outer level holding the tensor; size() if none.
    int holder_outside(int level) const {
        int outside = level + 1;
        while (outside < size() && levels_[outside].tile_words == 0) ++outside;
        return outside;
    }

    void set_parent_shares() {
        for (int level = 0; level < size(); ++level) {
            const int outside = holder_outside(level);
            if (outside == size()) continue;
            const auto fanout = static_cast<double>(levels_[outside].fanout);
            for (const Traffic& traffic : levels_[outside].traffic)
                levels_[level].parent_share += traffic.accesses * static_cast<double>(traffic.multicast) / fanout;
        }
    }

    /// M:N networks: one send per word, forwarded by neighbours, so each holds only its share. False with several
    /// multicast factors.
    bool spread_multicasts() {
        for (int level = 0; level + 1 < size(); ++level) {
            if (rules_.many_to_many[level] == 0) continue;
            StorageTraffic& inner = levels_[level];
            StorageTraffic& outer = levels_[holder_outside(level)];
            if (inner.traffic.size() != 1 || outer.traffic.size() != 1) return false;
            const Traffic from = outer.traffic.front();
            if (from.multicast <= 1) continue;
            const double passed = inner.traffic.front().accesses;
            outer.traffic = {{1, from.multicast * from.scatter, from.accesses, from.unicast_hops, 0.0}};
            outer.spread = {{from.multicast, from.scatter, passed, from.hops * passed / from.accesses, 0.0}};
            const auto sharers = static_cast<double>(from.multicast);
            inner.partition_words = 1 + (inner.partition_words - 1) / from.multicast;
            inner.accesses = 1 + (inner.accesses - 1) / sharers;
            inner.parent_share = 1 + (inner.parent_share - 1) / sharers;
            return true;
        }
        return true;
    }

    static void clear_contents(StorageTraffic& level) {
        level.tile_words = 0;
        level.partition_words = 0;
        level.accesses = 0.0;
        level.parent_share = 0.0;
    }

    /// The next outer holder serves a bypassed level's accesses. The words sent on stay charged to the network below
    /// the bypassed level.
    void mask_inner() {
        for (int level = 0; level < size(); ++level) {
            StorageTraffic& here = levels_[level];
            if (rules_.kept[level] != 0 && !here.no_coalesce) continue;
            const int outside = holder_outside(level);
            if (outside == size()) {
                clear_contents(here);
                return;
            }
            StorageTraffic& outer = levels_[outside];
            const double factor = here.accesses * static_cast<double>(outer.fanout) / delivered(outer.traffic);
            for (Traffic& traffic : outer.traffic) {
                if (traffic.accesses == 0.0) continue;
                traffic.accesses *= factor;
                outer.link_transfers = 0.0;
            }
            outer.accesses = total_accesses(outer.traffic);
            if (rules_.kept[level] == 0) clear_contents(here);
        }
    }

    /// Levels outside the outermost holder lose their network traffic too; the outermost holder has no parent.
    void mask_outer() {
        for (int level = size() - 1; level >= 0; --level) {
            StorageTraffic& here = levels_[level];
            if (rules_.kept[level] != 0 && !here.no_coalesce) {
                here.parent_share = 0.0;
                return;
            }
            StorageTraffic nothing;
            nothing.replication = here.replication;
            nothing.spread = std::move(here.spread);
            nothing.fanout = 0;
            here = std::move(nothing);
        }
    }

    void add_peer_traffic() {
        for (int level = size() - 1; level > 0; --level)
            if (levels_[level].link_transfers != 0.0)
                levels_[level - 1].peer_words += levels_[level].link_transfers / levels_[level - 1].replication;
    }

    bool is_outermost_holder(int level) const { return holder_outside(level) == size(); }

    void set_counts(int level) {
        StorageTraffic& here = levels_[level];
        if (here.tile_words == 0) return;
        const auto count = [&](double value, const char* what) {
            return guard_.of(value, what + (" of " + rules_.name) + " at " + rules_.memories[level]);
        };
        if (!rules_.written) {
            here.reads = count(rounded(here.accesses + here.peer_words), "reads");
            here.fills = count(here.parent_share + here.peer_words, "fills");
            return;
        }
        here.updates = count(rounded(here.accesses), "updates");
        const bool elides = rules_.first_read_elision && !here.rewrites_first && !here.no_coalesce;
        const auto first = elides ? static_cast<double>(here.partition_words) : 0.0;
        here.reads = count(rounded(here.accesses + here.peer_words - first), "reads");
        here.temporal_reductions = here.reads;
        const double first_fill = is_outermost_holder(level) || rules_.first_fills ? 0.0 : first;
        here.fills =
            here.no_coalesce ? here.reads : count(rounded(here.parent_share + here.peer_words - first_fill), "fills");
    }

    int tensor_;
    const TensorRules& rules_;
    Unsigned& guard_;
    std::vector<StorageTraffic> levels_;
};

}  // namespace

std::int64_t Unsigned::of(double value, const std::string& what) {
    if (value <= -1.0 && problem_.empty()) problem_ = what + " would be " + std::to_string(value);
    if (!(std::abs(value) < 9.2e18)) {
        if (problem_.empty()) problem_ = what + " does not fit in 64 bits";
        return 0;
    }
    return static_cast<std::int64_t>(value);
}

std::vector<StorageTraffic> storage_traffic(const WalkCounts& counts, int tensor, const TensorRules& rules,
                                            Unsigned& guard, bool& refused) {
    return Collapser(counts, tensor, rules, guard).run(refused);
}

}  // namespace tilewright::account
