#include "sim/npu/dma.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::sim::npu {
namespace {

constexpr std::uint64_t kWriteTag = std::numeric_limits<std::uint64_t>::max();

/// Tolerance for sums of fractional cycles.
constexpr double kTiny = 1e-6;

/// The first cycle at or after a moment.
Cycle cycle_of(double moment) { return static_cast<Cycle>(std::ceil(moment - kTiny)); }

}  // namespace

Dma::Dma(const dram::Device& device, const dram::MemoryOptions& options, double clocks_per_cycle, std::int64_t channels,
         std::int64_t bytes_per_cycle, const StopSource* stop)
    : memory_(device, options),
      clocks_per_cycle_(clocks_per_cycle),
      bytes_per_cycle_(static_cast<double>(bytes_per_cycle)),
      access_bytes_(device.organisation.access_bytes()),
      stop_(stop),
      channels_(static_cast<std::size_t>(channels)) {}

void Dma::start(int channel, int transfer, bool write, const std::vector<Piece>& pieces, Cycle now) {
    advance(static_cast<dram::Clock>(static_cast<double>(now) * clocks_per_cycle_));
    Channel& one = channels_[channel];
    one = {.transfer = transfer, .write = write, .accesses = {}, .free_at = static_cast<double>(now)};
    for (const Piece& piece : pieces) {
        const std::int64_t end = piece.address + piece.bytes;
        for (std::int64_t begin = piece.address; begin < end;) {
            const std::int64_t access = begin / access_bytes_ * access_bytes_;
            const std::int64_t bytes = std::min(access + access_bytes_, end) - begin;
            if (!one.accesses.empty() && one.accesses.back().address == access) {
                one.accesses.back().bytes += bytes;
            } else {
                one.accesses.push_back({access, bytes});
            }
            begin += bytes;
        }
    }
    if (write) fill_next(one);
    ++busy_;
}

/// A write's next access is complete once its bytes have crossed the channel, which pauses with too many in flight.
void Dma::fill_next(Channel& channel) {
    if (channel.taken.size() == kUnderWay) {
        channel.free_at = std::max(channel.free_at, channel.taken.front());
        channel.taken.pop_front();
    }
    channel.free_at += static_cast<double>(channel.accesses[channel.offered].bytes) / bytes_per_cycle_;
}

bool Dma::may_offer(const Channel& channel) const {
    if (channel.transfer < 0 || channel.offered == channel.accesses.size()) return false;
    if (channel.write) return channel.free_at <= now_in_cycles() + kTiny;
    const double to_move = (channel.free_at - now_in_cycles()) * bytes_per_cycle_ / static_cast<double>(access_bytes_);
    return static_cast<double>(channel.offered - channel.done) + to_move < static_cast<double>(kUnderWay);
}

/// The channel's next event depends on the memory's answer.
bool Dma::waits_for_memory_alone(const Channel& channel) const {
    return channel.transfer < 0 || channel.offered == channel.accesses.size() ||
           (!channel.write && channel.offered - channel.done >= kUnderWay);
}

/// Earliest clock of the channel's next access, as far as it depends on itself.
dram::Clock Dma::next_offer(const Channel& channel) const {
    constexpr dram::Clock kNever = std::numeric_limits<dram::Clock>::max();
    if (waits_for_memory_alone(channel)) return kNever;
    double moment = channel.free_at;
    if (!channel.write) {
        const auto room = static_cast<double>(kUnderWay - (channel.offered - channel.done));
        moment -= room * static_cast<double>(access_bytes_) / bytes_per_cycle_;
    }
    // One clock early, for kTiny: asking too soon has no effect.
    const double clock = std::floor((moment - 2.0 * kTiny) * clocks_per_cycle_) - 1.0;
    const dram::Clock next = memory_.now() + 1;
    return clock <= static_cast<double>(next) ? next : static_cast<dram::Clock>(std::min(clock, 9e18));
}

dram::Clock Dma::next_offer() const {
    dram::Clock next = std::numeric_limits<dram::Clock>::max();
    for (const Channel& channel : channels_) next = std::min(next, next_offer(channel));
    return next;
}

void Dma::offer() {
    for (std::size_t i = 0; i < channels_.size(); ++i) {
        const std::size_t index = (turn_ + i) % channels_.size();
        offer(channels_[index], static_cast<int>(index));
    }
    turn_ = (turn_ + 1) % channels_.size();
}

void Dma::offer(Channel& channel, int index) {
    while (may_offer(channel)) {
        const Access& access = channel.accesses[channel.offered];
        if (channel.write) {
            if (!memory_.offer({access.address, true, kWriteTag})) return;
            channel.taken.push_back(now_in_cycles());
            ++writes_;
            ++channel.done;
            ++channel.offered;
            if (channel.offered == channel.accesses.size()) return end(channel);
            fill_next(channel);
            continue;
        }
        if (free_tags_.empty()) {
            free_tags_.push_back(under_way_.size());
            under_way_.emplace_back();
        }
        const std::uint64_t tag = free_tags_.back();
        if (!memory_.offer({access.address, false, tag})) return;
        free_tags_.pop_back();
        under_way_[tag] = {index, access.bytes};
        ++reads_;
        ++channel.offered;
    }
}

void Dma::complete() {
    for (const dram::Done& done : memory_.completed()) {
        if (done.tag == kWriteTag) continue;
        const Read& read = under_way_[done.tag];
        Channel& channel = channels_[read.channel];
        channel.free_at =
            std::max(channel.free_at, now_in_cycles()) + static_cast<double>(read.bytes) / bytes_per_cycle_;
        free_tags_.push_back(done.tag);
        if (++channel.done == channel.accesses.size()) end(channel);
    }
}

void Dma::end(Channel& channel) {
    const double moment = channel.write ? std::max(channel.free_at, now_in_cycles()) : channel.free_at;
    ended_.push_back({channel.transfer, cycle_of(moment)});
    channel.transfer = -1;
    --busy_;
}

void Dma::advance(dram::Clock until) {
    while (memory_.now() < until && !stopped()) {
        if (busy()) offer();
        const bool memory_alone = std::all_of(channels_.begin(), channels_.end(),
                                              [&](const Channel& c) { return waits_for_memory_alone(c); });
        dram::Clock next = std::min(next_offer(), until);
        if (next > memory_.now() + 1) next = std::min(next, std::max(memory_.next_event(), memory_.now() + 1));
        const dram::Clock skipped = next - 1 - memory_.now();
        if (skipped > 0) memory_.skip_to(next - 1);
        // Channels take turns also in clocks of waiting for themselves.
        if (!memory_alone && skipped > 0) turn_ = (turn_ + static_cast<std::size_t>(skipped)) % channels_.size();
        memory_.tick();
        complete();
    }
}

void Dma::step(Cycle now) { advance(static_cast<dram::Clock>(static_cast<double>(now + 1) * clocks_per_cycle_)); }

Cycle Dma::next_event(Cycle now) const {
    Cycle next = static_cast<Cycle>(static_cast<double>(memory_.next_event()) / clocks_per_cycle_) - 1;
    for (const Channel& channel : channels_) {
        if (waits_for_memory_alone(channel)) continue;
        if (!channel.write) return now + 1;
        next = std::min(next, static_cast<Cycle>(channel.free_at));
    }
    return std::max(next, now + 1);
}

Cycle Dma::settled(Cycle now) {
    while (!memory_.idle() && !stopped()) {
        const dram::Clock next = memory_.next_event();
        if (next - 1 > memory_.now()) memory_.skip_to(next - 1);
        memory_.tick();
    }
    return std::max(now, cycle_of(now_in_cycles()));
}

}  // namespace tilewright::sim::npu
