#include "fusion/hierarchy/likely_leaves.hpp"

#include <algorithm>
#include <cmath>

#include "fusion/leaf/leaf.hpp"

namespace tilewright::fusion {
namespace {

struct Streams {
    std::int64_t held = 0;   // units of the buffer for own tiles where each operand comes once
    std::int64_t slice = 0;  // of the operand that streams
    Words again;             // what one more pass moves, in words of the DRAM
};

// Units that are in the buffer at a time of an operand of so many that streams by.
std::int64_t slice_of(double units) {
    constexpr double kParts = 64.0;
    return static_cast<std::int64_t>(std::ceil(units / kParts));
}

}  // namespace

LikelyLeaves::LikelyLeaves(FloorLeaves& floors, const Cascade& cascade, const Machine& machine,
                           std::vector<LeastPerPoint> inside)
    : floors_(floors), cascade_(cascade), machine_(machine), inside_(std::move(inside)) {}

const LeafFront& LikelyLeaves::front(int einsum, const LeafQuestion& question) {
    const auto [entry, is_new] = fronts_.try_emplace({einsum, question});
    if (is_new) entry->second = likely(einsum, question);
    return entry->second;
}

LeafFront LikelyLeaves::likely(int e, const LeafQuestion& question) const {
    const LeafPoint floor = floors_.floor(e, question);
    if (!floors_.floors(e).may_hold(question.held)) return {};
    const Einsum& einsum = cascade_.einsums[e].einsum;
    double points = static_cast<double>(1 + question.resumed);
    for (const std::int64_t extent : question.extents) points *= static_cast<double>(extent);
    Streams streams;
    double largest = 0.0;
    Words moved;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        if (question.held.has(t)) continue;
        const std::int64_t bits = einsum.tensors[t].bits;
        const double touched = touched_words(einsum.tensors[t], question.extents);
        const double words = touched * machine_.dram.share_of(bits).energy;
        (einsum.tensors[t].written ? moved.updates : moved.reads) += words;
        if (floors_.floors(e).must_pass().has(t)) continue;
        const double room = touched * static_cast<double>(machine_.units_of(bits));
        streams.held += static_cast<std::int64_t>(room);
        if (room <= largest) continue;
        largest = room;
        streams.again = einsum.tensors[t].written ? Words{words, 0.0, words} : Words{words, 0.0, 0.0};
    }
    streams.held -= static_cast<std::int64_t>(largest);
    streams.slice = slice_of(largest);
    const double calls = static_cast<double>(1 + question.resumed);
    const double inside_pj = points * inside_[e].energy_pj;
    LeafFront front;
    constexpr int kMostPasses = 1 << 12;
    for (std::int64_t passes = 1; passes <= kMostPasses; passes *= 2) {
        const auto more = static_cast<double>(passes - 1);
        const Words dram{moved.reads + more * streams.again.reads, 0.0, moved.updates + more * streams.again.updates};
        const double outside_pj = energy_pj(machine_.dram, dram) + dram.reads * machine_.buffer.fill_pj;
        const double energy = std::max(floor.energy_pj, inside_pj + calls * outside_pj);
        const double at_work = std::max(points * inside_[e].cycles, calls * cycles(machine_.dram, dram));
        const LeafPoint point{(streams.held + passes - 1) / passes + streams.slice, energy,
                              std::max(floor.cycles, at_work)};
        if (front.empty() || point.words < front.back().words) front.push_back(point);
        if (streams.held <= passes) break;
    }
    std::ranges::reverse(front);
    return front;
}

}  // namespace tilewright::fusion
