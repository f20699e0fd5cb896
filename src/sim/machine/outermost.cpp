#include "sim/machine/outermost.hpp"

#include <limits>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "sim/dram/device.hpp"

namespace tilewright::sim {
namespace {

constexpr int kMostReadsUnderWay = 64;
constexpr std::uint64_t kWriteTag = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Outermost::Outermost(const Einsum& einsum, const Architecture& architecture, const MachineOptions& options) {
    const tilewright::Memory& memory = architecture.memories.front();
    for (const Tensor& tensor : einsum.tensors) {
        word_bytes_.push_back(static_cast<double>(bits_of(tensor, memory.word_bits)) / 8.0);
        share_.push_back(bandwidth_share(tensor, memory));
    }
    shared_ = memory.shared_words_per_cycle.has_value();
    read_port_ = Pace(shared_ ? memory.shared_words_per_cycle : memory.read_words_per_cycle);
    write_port_ = Pace(memory.write_words_per_cycle);
    if (options.dram) {
        memory_.emplace(*options.dram, options.dram_options);
        clocks_per_cycle_ = architecture.cycle_seconds * 1e12 / options.dram->timing.clock_ps;
        access_bytes_ = options.dram->organisation.access_bytes();
    }
    std::int64_t base = 0;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const auto bytes =
            static_cast<std::int64_t>(std::ceil(static_cast<double>(tensor_words(einsum, t)) * word_bytes_[at(t)]));
        base_.push_back(base);
        size_.push_back(ceil_div(std::max<std::int64_t>(bytes, 1), access_bytes_) * access_bytes_);
        base += ceil_div(size_.back(), 1 << 20) << 20;
    }
    read_at_.assign(base_.size(), 0);
    written_at_.assign(base_.size(), 0);
    unwritten_.assign(base_.size(), 0.0);
}

std::int64_t Outermost::next_address(int tensor, bool written) {
    std::int64_t& place = (written ? written_at_ : read_at_)[at(tensor)];
    const std::int64_t address = base_[at(tensor)] + place;
    place = (place + access_bytes_) % size_[at(tensor)];
    return address;
}

void Outermost::fetch(int stream, int tensor, std::int64_t words) {
    if (fetched_.size() <= at(stream)) fetched_.resize(at(stream) + 1, 0.0);
    fetched_[at(stream)] = 0.0;
    if (!memory_) return;
    const auto bytes = static_cast<std::int64_t>(std::ceil(static_cast<double>(words) * word_bytes_[at(tensor)]));
    for (std::int64_t sent = 0; sent < bytes; sent += access_bytes_) {
        to_read_.push_back({next_address(tensor, false), stream, access_bytes_});
    }
}

bool Outermost::take(int stream, int tensor, std::int64_t words, Cycle now) {
    if (!memory_) {
        if (!read_port_.free(now)) return false;
        read_port_.use(now, words, share_[at(tensor)]);
        reads_ += 1;
        return true;
    }
    double& there = fetched_[at(stream)];
    const double bytes = static_cast<double>(words) * word_bytes_[at(tensor)];
    if (there + 1e-6 < bytes) return false;
    there -= bytes;
    return true;
}

void Outermost::write(int tensor, std::int64_t words, Cycle now) {
    if (!memory_) {
        (shared_ ? read_port_ : write_port_).use(now, words, share_[at(tensor)]);
        writes_ += 1;
        return;
    }
    double& bytes = unwritten_[at(tensor)];
    bytes += static_cast<double>(words) * word_bytes_[at(tensor)];
    for (; bytes >= access_bytes_; bytes -= access_bytes_) to_write_.push_back(next_address(tensor, true));
}

void Outermost::flush() {
    for (int t = 0; t < static_cast<int>(unwritten_.size()); ++t) {
        if (memory_ && unwritten_[at(t)] > 0.5) to_write_.push_back(next_address(t, true));
        unwritten_[at(t)] = 0.0;
    }
}

void Outermost::offer_waiting() {
    while (!to_write_.empty() && memory_->offer({to_write_.front(), true, kWriteTag})) {
        to_write_.pop_front();
        ++writes_;
    }
    while (!to_read_.empty() && under_way_ < kMostReadsUnderWay) {
        if (free_tags_.empty()) {
            free_tags_.push_back(outstanding_.size());
            outstanding_.push_back(0);
            stream_of_.push_back(0);
        }
        const std::uint64_t tag = free_tags_.back();
        const Access& access = to_read_.front();
        if (!memory_->offer({access.address, false, tag})) return;
        free_tags_.pop_back();
        outstanding_[tag] = access.bytes;
        stream_of_[tag] = access.stream;
        to_read_.pop_front();
        ++under_way_;
        ++reads_;
    }
}

void Outermost::step(Cycle now) {
    if (!memory_) return;
    const auto until = static_cast<dram::Clock>(static_cast<double>(now + 1) * clocks_per_cycle_);
    while (memory_->now() < until) {
        offer_waiting();
        const dram::Clock next = std::min(memory_->next_event(), until);
        if (next - 1 > memory_->now()) memory_->skip_to(next - 1);
        memory_->tick();
        for (const dram::Done& done : memory_->completed()) {
            if (done.tag == kWriteTag) continue;
            fetched_[at(stream_of_[done.tag])] += static_cast<double>(outstanding_[done.tag]);
            free_tags_.push_back(done.tag);
            --under_way_;
        }
    }
}

bool Outermost::settled() const { return !memory_ || (memory_->idle() && to_write_.empty() && to_read_.empty()); }

Cycle Outermost::next_event(Cycle now) const {
    if (!memory_) {
        const Cycle free = std::max(read_port_.free_at(), write_port_.free_at());
        return free > now ? free : std::numeric_limits<Cycle>::max();
    }
    if (settled()) return std::numeric_limits<Cycle>::max();
    if (!to_write_.empty() || !to_read_.empty()) return now + 1;
    return std::max(now + 1, static_cast<Cycle>(static_cast<double>(memory_->next_event()) / clocks_per_cycle_) - 1);
}

}  // namespace tilewright::sim
