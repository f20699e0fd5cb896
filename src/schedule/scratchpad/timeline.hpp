// Timeline: turns decisions, in order, into times. Common clock of the static baseline and the list scheduler.
//
// Under `overlap` a transfer takes a channel's first idle interval long enough, once its data are there and its
// addresses free; an operation starts with its core, operands and output block available. Under `sum` transfers wait
// for all cores, and operations for all transfers and for the previous set.
#pragma once

#include <limits>
#include <vector>

#include "schedule/problem/bounds.hpp"
#include "schedule/problem/schedule.hpp"

namespace tilewright::schedule {

/// Last use of each scratchpad byte.
class AddressTimes {
   public:
    explicit AddressTimes(std::int64_t bytes) : bytes_(bytes), runs_{{0, 0}} {}

    std::int64_t latest(std::int64_t address, std::int64_t bytes) const;
    void set(std::int64_t address, std::int64_t bytes, std::int64_t time);

   private:
    struct LastUse {
        std::int64_t begin;
        std::int64_t time;
    };
    std::size_t run_at(std::int64_t address) const;

    std::int64_t bytes_;
    std::vector<LastUse> runs_;  ///< by begin; each reaches to the next
};

/// One DMA channel or all of them: reserves times for transfers.
class Channels {
   public:
    explicit Channels(std::int64_t count) : channels_(static_cast<std::size_t>(count)) {}

    struct Reservation {
        int channel = 0;
        std::int64_t start = 0;
    };
    /// Takes the earliest interval of `cycles` at or after `ready`.
    Reservation take(std::int64_t ready, std::int64_t cycles);
    /// The end of the last transfer.
    std::int64_t end() const;

   private:
    struct Gap {
        std::int64_t begin;
        std::int64_t end;
    };
    struct Channel {
        std::int64_t end = 0;
        std::vector<Gap> gaps;  ///< idle intervals before `end`, the latest ones
    };
    static std::int64_t earliest(const Channel& channel, std::int64_t ready, std::int64_t cycles);
    static void occupy(Channel& channel, std::int64_t start, std::int64_t cycles);

    std::vector<Channel> channels_;
};

/// A partial schedule is abandoned once its objective must exceed `value`, or, if it can at best equal it, its latency
/// is no longer below `latency_cycles` (Score).
struct Cutoff {
    Objective objective;
    double value = 0.0;
    std::int64_t least_traffic_bytes = 0;  ///< known final traffic
    const ReuseBound* reuse = nullptr;     ///< of the graph; null: remaining traffic is bounded by its tiles alone
    std::int64_t latency_cycles = std::numeric_limits<std::int64_t>::max();
};

class Timeline {
   public:
    Timeline(const OperationGraph& graph, LatencyRule rule);

    /// The operations until the next call form one set.
    void begin_set();
    /// Requires a non-resident tile, and no overlapping resident block.
    void load(int tile, std::int64_t address);
    /// Drops an input or weight without a transfer, a partial sum with one.
    void evict(int tile);
    /// Requires resident inputs and weights. The first of a chain takes its output's block at `output`.
    void execute(int operation, std::int64_t output);
    /// Stores the final output; its block is free from then on.
    void store(int tile);

    bool resident(int tile) const { return blocks_[tile].address != kAway; }
    std::int64_t address(int tile) const { return blocks_[tile].address; }
    /// First time without use of these addresses.
    std::int64_t free_from(std::int64_t address, std::int64_t bytes) const { return times_.latest(address, bytes); }
    std::int64_t latency() const { return schedule_.latency_cycles; }
    std::int64_t traffic() const { return schedule_.traffic_bytes; }
    /// Traffic so far plus required traffic: missing tiles in use, unstored outputs.
    std::int64_t least_traffic() const { return schedule_.traffic_bytes + bytes_left_; }
    /// Lower bound on the final objective.
    double least_value(const Objective& objective, std::int64_t least_traffic_bytes) const;
    /// `by_reuse`: by the slower bound, too. At the end both are exact.
    bool hopeless(const Cutoff& cutoff, bool by_reuse = true) const {
        if (falls_short(cutoff, cutoff.least_traffic_bytes)) return true;
        return by_reuse && cutoff.reuse != nullptr && falls_short(cutoff, least_traffic_by(*cutoff.reuse));
    }

    Schedule take() { return std::move(schedule_); }

   private:
    static constexpr std::int64_t kAway = -2;
    struct Block {
        std::int64_t address = kAway;
        std::int64_t ready = 0;  ///< its data are there (while evicted: in DRAM)
        std::int64_t last_use = 0;
    };
    std::int64_t transfer(TransferKind kind, int tile, std::int64_t address, std::int64_t bytes, std::int64_t ready);
    void release(int tile);
    int free_core() const;
    bool falls_short(const Cutoff& cutoff, std::int64_t least_traffic_bytes) const;
    /// Lower bound on the final latency: the remaining cycles over the cores, and this total traffic.
    std::int64_t least_latency(std::int64_t traffic) const;
    std::int64_t least_traffic_by(const ReuseBound& reuse) const;
    Block& block(int tile) { return blocks_[tile]; }

    const OperationGraph& graph_;
    const LatencyRule rule_;
    Schedule schedule_;
    AddressTimes times_;
    Channels channels_;
    std::vector<Block> blocks_;
    std::vector<std::int64_t> cores_;  ///< when each is free
    std::int64_t cores_end_ = 0;
    std::int64_t set_start_ = 0;
    std::int64_t cycles_left_ = 0;      ///< of remaining operations
    std::int64_t bytes_left_ = 0;       ///< of missing tiles still needed, and of unstored outputs
    std::int64_t stores_left_ = 0;      ///< bytes of unstored outputs
    std::int64_t last_store_ = 0;       ///< cycles of the shortest store
    std::int64_t created_left_ = 0;     ///< bytes of output blocks not yet begun
    std::int64_t work_left_ = 0;        ///< of remaining operations
    std::int64_t resident_bytes_ = 0;   ///< of blocks in the scratchpad
    std::int64_t transfer_cycles_ = 0;  ///< so far, over all channels
    std::vector<int> uses_left_;        ///< by tile
};

}  // namespace tilewright::schedule
