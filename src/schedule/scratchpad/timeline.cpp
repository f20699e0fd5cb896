#include "schedule/scratchpad/timeline.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::schedule {

std::size_t AddressTimes::run_at(std::int64_t address) const {
    const auto above = std::upper_bound(runs_.begin(), runs_.end(), address,
                                        [](std::int64_t value, const LastUse& run) { return value < run.begin; });
    return static_cast<std::size_t>(above - runs_.begin()) - 1;
}

std::int64_t AddressTimes::latest(std::int64_t address, std::int64_t bytes) const {
    std::int64_t time = 0;
    for (std::size_t i = run_at(address); i < runs_.size() && runs_[i].begin < address + bytes; ++i)
        time = std::max(time, runs_[i].time);
    return time;
}

void AddressTimes::set(std::int64_t address, std::int64_t bytes, std::int64_t time) {
    const std::size_t first = run_at(address);
    const std::int64_t end = address + bytes;
    const std::size_t last = run_at(end - 1);
    const std::int64_t last_end = last + 1 < runs_.size() ? runs_[last + 1].begin : bytes_;
    if (first == last && runs_[first].begin == address && last_end == end) {  // the same block as before
        runs_[first].time = time;
        return;
    }
    std::array<LastUse, 3> fresh{};
    std::size_t count = 0;
    if (runs_[first].begin < address) fresh[count++] = runs_[first];
    fresh[count++] = {address, time};
    if (end < last_end) fresh[count++] = {end, runs_[last].time};
    const auto at = runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(first),
                                runs_.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    runs_.insert(at, fresh.begin(), fresh.begin() + static_cast<std::ptrdiff_t>(count));
}

std::int64_t Channels::earliest(const Channel& channel, std::int64_t ready, std::int64_t cycles) {
    for (const Gap& gap : channel.gaps)
        if (std::max(gap.begin, ready) + cycles <= gap.end) return std::max(gap.begin, ready);
    return std::max(channel.end, ready);
}

void Channels::occupy(Channel& channel, std::int64_t start, std::int64_t cycles) {
    constexpr std::size_t kMostGaps = 48;  // transfers waiting for recent blocks cannot use old ones
    const std::int64_t end = start + cycles;
    if (start >= channel.end) {
        if (start > channel.end) channel.gaps.push_back({channel.end, start});
        if (channel.gaps.size() > kMostGaps) channel.gaps.erase(channel.gaps.begin());
        channel.end = end;
        return;
    }
    const auto gap =
        std::find_if(channel.gaps.begin(), channel.gaps.end(), [&](const Gap& one) { return start < one.end; });
    const Gap whole = *gap;
    const auto next = channel.gaps.erase(gap);
    const auto after = end < whole.end ? channel.gaps.insert(next, {end, whole.end}) : next;
    if (whole.begin < start) channel.gaps.insert(after, {whole.begin, start});
}

Channels::Reservation Channels::take(std::int64_t ready, std::int64_t cycles) {
    Reservation best{0, earliest(channels_[0], ready, cycles)};
    for (std::size_t i = 1; i < channels_.size(); ++i) {
        const std::int64_t start = earliest(channels_[i], ready, cycles);
        if (start < best.start) best = {static_cast<int>(i), start};
    }
    occupy(channels_[best.channel], best.start, cycles);
    return best;
}

std::int64_t Channels::end() const {
    std::int64_t end = 0;
    for (const Channel& channel : channels_) end = std::max(end, channel.end);
    return end;
}

Timeline::Timeline(const OperationGraph& graph, LatencyRule rule)
    : graph_(graph),
      rule_(rule),
      times_(own_bytes(graph.problem.machine, graph.problem.layer)),
      channels_(graph.problem.machine.dma_channels),
      blocks_(graph.tiles.size()),
      cores_(static_cast<std::size_t>(graph.problem.machine.cores), 0),
      uses_left_(graph.tiles.size()) {
    schedule_.rule = rule;
    for (std::size_t tile = 0; tile < graph.tiles.size(); ++tile)
        if (graph.tiles[tile].block_bytes == 0) blocks_[tile].address = kNoBlock;
    cycles_left_ = graph.total_cycles;
    for (std::size_t tile = 0; tile < graph.tiles.size(); ++tile) uses_left_[tile] = graph.tiles[tile].uses;
    bytes_left_ = graph.load_bytes[0] + graph.load_bytes[1] + graph.store_bytes[2];
    stores_left_ = graph.store_bytes[2];
    last_store_ = std::numeric_limits<std::int64_t>::max();
    for (const Tile& tile : graph.tiles)
        if (tile.operand == Operand::output)
            last_store_ = std::min(last_store_, ceil_div(tile.store_bytes, graph.problem.machine.bytes_per_cycle));
    created_left_ = graph.load_bytes[2];
    work_left_ = graph.total_work;
    constexpr std::size_t kMostAtOnce = 4096;  // most schedules of large graphs are abandoned early
    schedule_.executions.reserve(std::min(graph.operations.size(), kMostAtOnce));
    schedule_.transfers.reserve(std::min(graph.tiles.size() * 2, kMostAtOnce));
}

void Timeline::begin_set() { set_start_ = cores_end_; }

std::int64_t Timeline::transfer(TransferKind kind, int tile, std::int64_t address, std::int64_t bytes,
                                std::int64_t ready) {
    if (bytes == 0) return ready;
    if (rule_ == LatencyRule::sum) ready = std::max(ready, cores_end_);
    const std::int64_t cycles = transfer_cycles(graph_.problem.machine, bytes);
    const Channels::Reservation reserved = channels_.take(ready, cycles);
    const Tile& one = graph_.tile(tile);
    const std::int64_t end = reserved.start + cycles;
    transfer_cycles_ += cycles;
    schedule_.transfers.push_back(
        {kind, one.operand, one.index, reserved.channel, address, bytes, reserved.start, end});
    schedule_.traffic_bytes += bytes;
    schedule_.latency_cycles = std::max(schedule_.latency_cycles, end);
    return end;
}

void Timeline::load(int tile, std::int64_t address) {
    const Tile& one = graph_.tile(tile);
    bytes_left_ -= one.load_bytes;
    const std::int64_t ready = std::max(block(tile).ready, times_.latest(address, one.block_bytes));
    const std::int64_t end = transfer(TransferKind::load, tile, address, one.load_bytes, ready);
    block(tile) = {address, end, end};
    resident_bytes_ += one.block_bytes;
}

void Timeline::release(int tile) {
    if (graph_.tile(tile).block_bytes == 0) return;
    times_.set(block(tile).address, graph_.tile(tile).block_bytes, block(tile).last_use);
    block(tile).address = kAway;
    resident_bytes_ -= graph_.tile(tile).block_bytes;
}

void Timeline::evict(int tile) {
    const Tile& one = graph_.tile(tile);
    Block& its = block(tile);
    if (uses_left_[tile] > 0) bytes_left_ += one.load_bytes;
    if (one.operand == Operand::output) {
        its.ready = transfer(TransferKind::spill, tile, its.address, one.load_bytes, its.ready);
        its.last_use = its.ready;
    } else {
        its.ready = 0;
    }
    release(tile);
}

void Timeline::store(int tile) {
    Block& its = block(tile);
    bytes_left_ -= graph_.tile(tile).store_bytes;
    stores_left_ -= graph_.tile(tile).store_bytes;
    its.last_use = transfer(TransferKind::store, tile, its.address, graph_.tile(tile).store_bytes, its.ready);
    release(tile);
}

int Timeline::free_core() const {
    return static_cast<int>(std::min_element(cores_.begin(), cores_.end()) - cores_.begin());
}

void Timeline::execute(int operation, std::int64_t output) {
    const Operation& one = graph_.operation(operation);
    Block& in = block(one.tiles[0]);
    Block& weight = block(one.tiles[1]);
    Block& out = block(one.tiles[2]);
    const int core = free_core();
    std::int64_t start = std::max({cores_[core], in.ready, weight.ready});
    if (rule_ == LatencyRule::sum) start = std::max({start, set_start_, channels_.end()});
    if (!resident(one.tiles[2])) {
        start = std::max(start, times_.latest(output, graph_.tile(one.tiles[2]).block_bytes));
        out.address = output;
        resident_bytes_ += graph_.tile(one.tiles[2]).block_bytes;
    }
    start = std::max(start, out.ready);
    const std::int64_t end = start + one.cycles;
    cycles_left_ -= one.cycles;
    work_left_ -= one.work;
    if (one.step == 0) created_left_ -= graph_.tile(one.tiles[2]).load_bytes;
    for (const int tile : one.tiles) --uses_left_[tile];
    in.last_use = std::max(in.last_use, end);
    weight.last_use = std::max(weight.last_use, end);
    out.ready = out.last_use = end;
    cores_[core] = end;
    cores_end_ = std::max(cores_end_, end);
    schedule_.executions.push_back({operation, core, start, end, {in.address, weight.address, out.address}});
    schedule_.latency_cycles = std::max(schedule_.latency_cycles, end);
}

std::int64_t Timeline::least_traffic_by(const ReuseBound& reuse) const {
    return schedule_.traffic_bytes + reuse.least_bytes_from(work_left_, resident_bytes_) - created_left_ + stores_left_;
}

double Timeline::least_value(const Objective& objective, std::int64_t least_traffic_bytes) const {
    const std::int64_t traffic = std::max(least_traffic(), least_traffic_bytes);
    return objective.value(static_cast<double>(least_latency(traffic)), static_cast<double>(traffic));
}

bool Timeline::falls_short(const Cutoff& cutoff, std::int64_t least_traffic_bytes) const {
    const std::int64_t traffic = std::max(least_traffic(), least_traffic_bytes);
    const std::int64_t latency = least_latency(traffic);
    const double value = cutoff.objective.value(static_cast<double>(latency), static_cast<double>(traffic));
    return value > cutoff.value || (value == cutoff.value && latency >= cutoff.latency_cycles);
}

// Under `sum` everything further begins once the cores are done, and transfers and operations never overlap. Under
// `overlap` the last operation ends a chain, and its output's store follows.
std::int64_t Timeline::least_latency(std::int64_t traffic) const {
    const MultiNpu& machine = graph_.problem.machine;
    const std::int64_t to_move = (traffic - schedule_.traffic_bytes) / machine.bytes_per_cycle;
    const std::int64_t latency = schedule_.latency_cycles;
    if (rule_ == LatencyRule::sum) {
        const std::int64_t begin = machine.dma_channels == 1 ? latency : cores_end_;
        return std::max(latency, begin + cycles_left_ / machine.cores + to_move / machine.dma_channels);
    }
    std::int64_t busy = cycles_left_;
    for (const std::int64_t core : cores_) busy += core;
    const std::int64_t computed = busy / machine.cores + (cycles_left_ > 0 ? last_store_ : 0);
    return std::max({latency, computed, (transfer_cycles_ + to_move) / machine.dma_channels});
}

}  // namespace tilewright::schedule
