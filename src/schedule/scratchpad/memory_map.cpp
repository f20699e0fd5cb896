#include "schedule/scratchpad/memory_map.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace tilewright::schedule {

std::optional<std::int64_t> MemoryMap::free_place(std::int64_t bytes, bool from_top) const {
    const Segment* equal = nullptr;
    std::optional<std::int64_t> best;
    std::int64_t best_bytes = 0;
    std::int64_t run_bytes = 0;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        const Segment& one = segments_[i];
        if (one.tile >= 0) {
            run_bytes = 0;
            continue;
        }
        if (one.bytes == bytes && (equal == nullptr || one.freed < equal->freed)) equal = &one;
        run_bytes += one.bytes;
        const bool ends = i + 1 == segments_.size() || segments_[i + 1].tile >= 0;
        if (!ends || run_bytes < bytes || (best && run_bytes >= best_bytes)) continue;
        const std::int64_t end = one.address + one.bytes;
        best = from_top ? end - bytes : end - run_bytes;
        best_bytes = run_bytes;
    }
    return equal != nullptr ? equal->address : best;
}

std::optional<std::int64_t> MemoryMap::allocate(int tile, std::int64_t bytes, MemoryPolicy policy,
                                                const Residents& residents, std::vector<int>& spilled, bool from_top) {
    std::optional<std::int64_t> place;
    if (free_bytes_ >= bytes) place = free_place(bytes, from_top);
    while (!place) {
        const std::optional<SegmentRange> run = victims(bytes, policy, residents);
        if (!run) return std::nullopt;
        const Segment& last = segments_[run->end - 1];
        place = from_top ? last.address + last.bytes - bytes : segments_[run->begin].address;
        const bool enough = policy != MemoryPolicy::small_first;
        spill(*run, spilled);
        if (!enough) place = free_place(bytes, from_top);
    }
    put(tile, *place, bytes);
    return place;
}

std::optional<MemoryMap::SegmentRange> MemoryMap::victims(std::int64_t bytes, MemoryPolicy policy,
                                                          const Residents& residents) const {
    if (policy == MemoryPolicy::first_fit) return first_block(bytes, residents);
    if (policy == MemoryPolicy::small_first) return smallest_block(residents);
    return best_run(bytes, policy, residents);
}

// Longer runs from the same start only leave more and lose more: the first large enough is the best of them.
std::optional<MemoryMap::SegmentRange> MemoryMap::best_run(std::int64_t bytes, MemoryPolicy policy,
                                                           const Residents& residents) const {
    const bool by_loss = policy == MemoryPolicy::least_loss;
    std::optional<SegmentRange> best;
    std::tuple<double, double, int> best_cost;
    for (std::size_t begin = 0; begin < segments_.size(); ++begin) {
        std::int64_t held = 0;
        double stake = 0.0;
        int blocks = 0;
        for (std::size_t end = begin; end < segments_.size(); ++end) {
            const Segment& one = segments_[end];
            const auto tile = static_cast<std::size_t>(one.tile);
            if (one.tile >= 0) {
                if (residents.pinned[tile] != 0) break;
                stake += by_loss ? residents.loss[tile] : static_cast<double>(residents.stake[tile]);
                ++blocks;
                if (by_loss && best && stake > std::get<0>(best_cost)) break;
            }
            held += one.bytes;
            if (held < bytes) continue;
            const auto rest = static_cast<double>(held - bytes);
            const auto cost = by_loss ? std::tuple(stake, rest, blocks) : std::tuple(rest, stake, blocks);
            if (!best || cost < best_cost) {
                best = SegmentRange{begin, end + 1};
                best_cost = cost;
            }
            break;
        }
    }
    return best;
}

std::optional<MemoryMap::SegmentRange> MemoryMap::first_block(std::int64_t bytes, const Residents& residents) const {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        const Segment& one = segments_[i];
        if (one.tile >= 0 && one.bytes >= bytes && residents.pinned[one.tile] == 0) return SegmentRange{i, i + 1};
    }
    return std::nullopt;
}

std::optional<MemoryMap::SegmentRange> MemoryMap::smallest_block(const Residents& residents) const {
    std::optional<SegmentRange> best;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        const Segment& one = segments_[i];
        if (one.tile < 0 || residents.pinned[one.tile] != 0) continue;
        if (!best || one.bytes < segments_[best->begin].bytes) best = SegmentRange{i, i + 1};
    }
    return best;
}

void MemoryMap::spill(const SegmentRange& run, std::vector<int>& spilled) {
    for (std::size_t i = run.begin; i < run.end; ++i) {
        Segment& one = segments_[i];
        if (one.tile < 0) continue;
        spilled.push_back(one.tile);
        free_bytes_ += one.bytes;
        one.tile = -1;
        one.freed = ++freed_;
    }
}

void MemoryMap::put(int tile, std::int64_t address, std::int64_t bytes) {
    const std::int64_t end = address + bytes;
    const auto first = std::find_if(segments_.begin(), segments_.end(),
                                    [&](const Segment& one) { return one.address + one.bytes > address; });
    const auto last = std::find_if(first, segments_.end(), [&](const Segment& one) { return one.address >= end; });
    std::array<Segment, 3> fresh;
    std::ptrdiff_t count = 0;
    const auto add = [&](const Segment& one) { fresh[count++] = one; };
    if (first->address < address) add({first->address, address - first->address, -1, first->freed});
    add({address, bytes, tile, 0});
    const Segment tail = *std::prev(last);
    if (tail.address + tail.bytes > end) add({end, tail.address + tail.bytes - end, -1, tail.freed});
    const std::ptrdiff_t before = last - first;
    const std::ptrdiff_t same = std::min(before, count);
    std::copy_n(fresh.begin(), same, first);
    if (before > count)
        segments_.erase(first + count, last);
    else
        segments_.insert(last, fresh.begin() + same, fresh.begin() + count);
    free_bytes_ -= bytes;
}

void MemoryMap::release(int tile) {
    for (Segment& one : segments_) {
        if (one.tile != tile) continue;
        one.tile = -1;
        one.freed = ++freed_;
        free_bytes_ += one.bytes;
        return;
    }
}

void MemoryMap::clear() {
    const std::int64_t bytes = segments_.back().address + segments_.back().bytes;
    segments_ = {{0, bytes, -1, 0}};
    free_bytes_ = bytes;
}

}  // namespace tilewright::schedule
