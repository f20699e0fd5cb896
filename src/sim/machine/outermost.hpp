// The outermost memory: a simulated DRAM, or one of the architecture's bandwidth. Internal to sim/machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "arch/architecture.hpp"
#include "sim/dram/memory.hpp"
#include "sim/machine/replay.hpp"

namespace tilewright::sim {

/// Pace of a memory port in words per cycle.
class Pace {
   public:
    explicit Pace(std::optional<double> words_per_cycle = std::nullopt) : words_per_cycle_(words_per_cycle) {}

    bool free(Cycle now) const { return !words_per_cycle_ || static_cast<double>(now) >= free_at_; }
    /// `share`: bandwidth share of a word (bandwidth_share).
    void use(Cycle now, std::int64_t words, double share) {
        if (words_per_cycle_)
            free_at_ =
                std::max(free_at_, static_cast<double>(now)) + static_cast<double>(words) * share / *words_per_cycle_;
    }
    Cycle free_at() const { return static_cast<Cycle>(std::ceil(free_at_)); }
    /// Cycles until it is free, 0 when it is.
    double busy_for(Cycle now) const { return std::max(0.0, free_at_ - static_cast<double>(now)); }
    void shift(double cycles) { free_at_ += cycles; }

   private:
    std::optional<double> words_per_cycle_;
    double free_at_ = 0.0;
};

/// Reads are streams of a tensor's words in sequence; completed ones can be taken. Tensors are adjacent; a stream
/// starts at the end of its tensor's last one, cyclically.
class Outermost {
   public:
    Outermost(const Einsum& einsum, const Architecture& architecture, const MachineOptions& options);

    void fetch(int stream, int tensor, std::int64_t words);
    /// Takes the next `words` of a stream if present.
    bool take(int stream, int tensor, std::int64_t words, Cycle now);
    /// Words arrived for writing.
    void write(int tensor, std::int64_t words, Cycle now);

    /// Writes partial accesses at the end.
    void flush();

    void step(Cycle now);
    /// No pending writes.
    bool settled() const;
    /// Lower bound on the next change.
    Cycle next_event(Cycle now) const;

    /// Ports of an unsimulated memory: reads (and shared writes), and writes.
    std::array<Pace*, 2> ports() { return {&read_port_, &write_port_}; }

    std::int64_t reads() const { return reads_; }
    std::int64_t writes() const { return writes_; }
    dram::Counts counts() const { return memory_ ? memory_->counts() : dram::Counts{}; }
    std::optional<double> energy_pj() const { return memory_ ? memory_->energy_pj() : std::nullopt; }

   private:
    struct Access {
        std::int64_t address;
        int stream;
        std::int64_t bytes;
    };
    std::int64_t next_address(int tensor, bool written);
    void offer_waiting();

    std::optional<dram::DramMemory> memory_;
    double clocks_per_cycle_ = 1.0;
    std::vector<double> word_bytes_;  ///< [tensor]
    std::vector<double> share_;       ///< [tensor] of the bandwidth
    int access_bytes_ = 64;
    std::vector<std::int64_t> base_;  ///< [tensor] bytes
    std::vector<std::int64_t> size_;
    std::vector<std::int64_t> read_at_;
    std::vector<std::int64_t> written_at_;
    std::vector<double> unwritten_;  ///< [tensor] bytes short of an access
    std::deque<Access> to_read_;
    std::deque<std::int64_t> to_write_;
    std::vector<std::int64_t> outstanding_;  ///< [tag] bytes
    std::vector<int> stream_of_;             ///< [tag]
    std::vector<std::uint64_t> free_tags_;
    std::vector<double> fetched_;  ///< [stream] bytes ready
    int under_way_ = 0;
    bool shared_ = false;
    Pace read_port_;
    Pace write_port_;
    std::int64_t reads_ = 0;
    std::int64_t writes_ = 0;
};

}  // namespace tilewright::sim
