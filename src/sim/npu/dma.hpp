// A DMA engine in front of a simulated DRAM: one transfer per channel, access by access.
//
// A channel has room for kUnderWay accesses, in flight or waiting to cross it, and a fixed rate in bytes per cycle. A
// read ends when its last byte has crossed the channel, a write when the memory has taken its last access. Unrequested
// bytes of an access are not moved, but cost the access.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/stop.hpp"
#include "sim/dram/memory.hpp"
#include "sim/npu/layout.hpp"

namespace tilewright::sim::npu {

using Cycle = std::int64_t;

class Dma {
   public:
    static constexpr std::size_t kUnderWay = 32;

    struct Ended {
        int transfer = 0;
        Cycle at = 0;
    };

    /// `clocks_per_cycle`: memory clocks per machine cycle. After `stop` (may be null), time stands still.
    Dma(const dram::Device& device, const dram::MemoryOptions& options, double clocks_per_cycle, std::int64_t channels,
        std::int64_t bytes_per_cycle, const StopSource* stop = nullptr);

    /// Requires an idle channel, non-empty pieces, and step() not beyond `now`.
    void start(int channel, int transfer, bool write, const std::vector<Piece>& pieces, Cycle now);

    void step(Cycle now);
    /// Ended transfers since the last call, some with an end time ahead.
    std::vector<Ended> take_ended() { return std::exchange(ended_, {}); }
    /// Accesses of some transfer are missing.
    bool busy() const { return busy_ > 0; }
    /// Requires busy(). Lower bound on the next change.
    Cycle next_event(Cycle now) const;

    /// Requires !busy(). The memory's completion cycle.
    Cycle settled(Cycle now);

    std::int64_t reads() const { return reads_; }
    std::int64_t writes() const { return writes_; }
    const dram::DramMemory& memory() const { return memory_; }

   private:
    struct Access {
        std::int64_t address = 0;
        std::int64_t bytes = 0;  ///< the requested ones
    };
    struct Channel {
        int transfer = -1;  ///< -1: idle
        bool write = false;
        std::vector<Access> accesses;
        std::size_t offered = 0;
        std::size_t done = 0;
        double free_at = 0.0;           ///< end of its current movement
        std::deque<double> taken = {};  ///< acceptance times of the last kUnderWay writes
    };
    void advance(dram::Clock until);
    void offer();
    void offer(Channel& channel, int index);
    bool may_offer(const Channel& channel) const;
    bool waits_for_memory_alone(const Channel& channel) const;
    dram::Clock next_offer(const Channel& channel) const;
    dram::Clock next_offer() const;
    bool stopped() const { return stop_ != nullptr && stop_->requested(); }
    void complete();
    void fill_next(Channel& channel);
    void end(Channel& channel);
    double now_in_cycles() const { return static_cast<double>(memory_.now()) / clocks_per_cycle_; }

    dram::DramMemory memory_;
    double clocks_per_cycle_;
    double bytes_per_cycle_;
    std::int64_t access_bytes_;
    const StopSource* stop_;
    std::vector<Channel> channels_;
    std::size_t turn_ = 0;
    int busy_ = 0;
    struct Read {
        int channel;
        std::int64_t bytes;
    };
    std::vector<Read> under_way_;  ///< [tag]
    std::vector<std::uint64_t> free_tags_;
    std::vector<Ended> ended_;
    std::int64_t reads_ = 0;
    std::int64_t writes_ = 0;
};

}  // namespace tilewright::sim::npu
