#include "schedule/problem/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/numbers/checked.hpp"
#include "schedule/problem/machine.hpp"

namespace tilewright::schedule {
namespace {

// At most two tile sizes along a dimension.
struct Part {
    std::int64_t size = 0;
    std::int64_t count = 0;
};

std::vector<Part> parts(std::int64_t extent, std::int64_t tile) {
    std::vector<Part> result;
    if (extent / tile > 0) result.push_back({tile, extent / tile});
    if (extent % tile > 0) result.push_back({extent % tile, 1});
    return result;
}

std::int64_t window(std::int64_t positions, std::int64_t stride, std::int64_t kernel, std::int64_t dilation) {
    return (positions - 1) * stride + (kernel - 1) * dilation + 1;
}

struct Cost {
    std::int64_t bytes = 0;
    std::int64_t cycles = 0;  ///< on one channel, every tile by itself
    std::int64_t least_cycles = std::numeric_limits<std::int64_t>::max();

    void add(const MultiNpu& machine, std::int64_t tile_bytes, std::int64_t count) {
        const std::int64_t one = transfer_cycles(machine, tile_bytes);
        bytes = checked_add(bytes, checked_mul(tile_bytes, count));
        cycles = checked_add(cycles, checked_mul(one, count));
        least_cycles = std::min(least_cycles, one);
    }
};

class Sums {
   public:
    explicit Sums(const Problem& problem) : problem_(problem), bits_(word_bits(problem.machine, problem.layer)) {
        const PerDim all = extents(problem.layer);
        for (std::size_t d = 0; d < kDims; ++d) parts_[d] = parts(all.value[d], problem.tiling.value[d]);
    }

    Cost inputs() const {
        const ConvLayer& l = problem_.layer;
        Cost cost;
        if (l.kept.input) return {0, 0, 0};
        for (const Part& w : along(Dim::out_w))
            for (const Part& h : along(Dim::out_h))
                for (const Part& c : along(Dim::in_c))
                    cost.add(problem_.machine,
                             packed_bytes(window(w.size, l.stride_w, l.kernel_w, l.dilation_w) *
                                              window(h.size, l.stride_h, l.kernel_h, l.dilation_h) * c.size,
                                          bits_.input),
                             w.count * h.count * c.count);
        return cost;
    }

    Cost weights() const {
        Cost cost;
        for (const Part& c : along(Dim::in_c))
            for (const Part& k : along(Dim::out_c))
                cost.add(
                    problem_.machine,
                    packed_bytes(problem_.layer.kernel_w * problem_.layer.kernel_h * c.size * k.size, bits_.weight),
                    c.count * k.count);
        return cost;
    }

    Cost outputs(std::int64_t bits) const {
        Cost cost;
        if (bits == 0) return {0, 0, 0};
        for (const Part& w : along(Dim::out_w))
            for (const Part& h : along(Dim::out_h))
                for (const Part& k : along(Dim::out_c))
                    cost.add(problem_.machine, packed_bytes(w.size * h.size * k.size, bits),
                             w.count * h.count * k.count);
        return cost;
    }

    // All operations, and the longest chain.
    std::pair<std::int64_t, std::int64_t> operation_cycles() const {
        std::int64_t total = 0;
        std::int64_t longest = 0;
        for (const Part& w : along(Dim::out_w))
            for (const Part& h : along(Dim::out_h))
                for (const Part& k : along(Dim::out_c)) {
                    std::int64_t chain = 0;
                    for (const Part& c : along(Dim::in_c))
                        chain = checked_add(chain, checked_mul(c.count, cycles_of(w.size, h.size, c.size, k.size)));
                    longest = std::max(longest, chain);
                    total = checked_add(total, checked_mul(chain, w.count * h.count * k.count));
                }
        return {total, longest};
    }

    // Maximum outputs per input element, both counted without channels.
    double outputs_per_input() const {
        const ConvLayer& l = problem_.layer;
        double most = 0.0;
        for (const Part& w : along(Dim::out_w))
            for (const Part& h : along(Dim::out_h))
                most = std::max(most, static_cast<double>(w.size * h.size) /
                                          static_cast<double>(window(w.size, l.stride_w, l.kernel_w, l.dilation_w) *
                                                              window(h.size, l.stride_h, l.kernel_h, l.dilation_h)));
        return most;
    }

   private:
    const std::vector<Part>& along(Dim dim) const { return parts_[static_cast<std::size_t>(dim)]; }
    std::int64_t cycles_of(std::int64_t w, std::int64_t h, std::int64_t c, std::int64_t k) const {
        return least_operation_cycles(problem_.machine, tile_shape(problem_.layer, w, h, c, k));
    }

    const Problem& problem_;
    const WordBits bits_;
    std::array<std::vector<Part>, kDims> parts_;
};

// Maximum product of three shares with total cost at most `budget`; share i costs price[i] per unit and is at most
// most[i]. Equal spending is optimal; a capped share's rest goes to the others.
double largest_product(double budget, const std::array<double, 3>& price, const std::array<double, 3>& most) {
    std::array<bool, 3> full{};
    double product = 1.0;
    for (int left = 3; left > 0;) {
        const double each = budget / left;
        bool filled = false;
        for (std::size_t i = 0; i < 3; ++i) {
            if (full[i] || each < price[i] * most[i]) continue;
            full[i] = filled = true;
            product *= most[i];
            budget -= price[i] * most[i];
            --left;
        }
        if (filled) continue;
        for (std::size_t i = 0; i < 3; ++i)
            if (!full[i]) product *= each / price[i];
        break;
    }
    return product;
}

// Cost of each kind of tile per unit of work, and its number of units.
struct WorkShares {
    std::array<double, 3> price{};
    std::array<double, 3> most{};
};

// Bits of a partial sum; 0: in a kept tensor.
std::int64_t created_bits(const Problem& problem) {
    const WordBits bits = word_bits(problem.machine, problem.layer);
    const bool chains = problem.tiling[Dim::in_c] < problem.layer.in_c;
    return chains ? bits.partial_sum : problem.layer.kept.output ? 0 : bits.output;
}

// A tile's bytes are its words rounded up.
WorkShares work_shares(const Problem& problem, const Sums& sums) {
    const WordBits bits = word_bits(problem.machine, problem.layer);
    const ConvLayer& l = problem.layer;
    const auto real = [](std::int64_t value) { return static_cast<double>(value); };
    const double pixels = real(l.out_w) * real(l.out_h);
    return {{(l.kept.input ? 0.0 : real(bits.input) / 8.0) / sums.outputs_per_input(),
             real(l.kernel_w) * real(l.kernel_h) * (real(bits.weight) / 8.0), real(created_bits(problem)) / 8.0},
            {pixels * real(l.in_c), real(l.in_c) * real(l.out_c), pixels * real(l.out_c)}};
}

std::int64_t product_of(const PerDim& sizes) {
    std::int64_t product = 1;
    for (const std::int64_t size : sizes.value) product = checked_mul(product, size);
    return product;
}

std::int64_t latency_bound(const Problem& problem, LatencyRule rule, std::int64_t compute, std::int64_t transfers,
                           std::int64_t ends) {
    const std::int64_t dma = ceil_div(transfers, problem.machine.dma_channels);
    return rule == LatencyRule::sum ? checked_add(compute, dma) : std::max(checked_add(compute, ends), dma);
}

}  // namespace

ReuseBound::ReuseBound(const Problem& problem, bool of_all_sizes) {
    const Sums sums(problem);
    const WorkShares shares = work_shares(problem, sums);
    memory_ = static_cast<double>(own_bytes(problem.machine, problem.layer));
    for (double x = memory_ / 16.0; x < memory_ * 64.0; x *= 1.25)
        segments_.push_back({x, std::sqrt(largest_product(memory_ + x, shares.price, shares.most))});
    if (!of_all_sizes) return;
    const auto work = static_cast<double>(product_of(extents(problem.layer)));
    for (double bytes = std::max(memory_ / 64.0, 1.0);
         touched_.empty() || touched_.back().most_work < work * (1.0 - 1e-9); bytes *= 1.04)
        touched_.push_back({bytes, std::sqrt(largest_product(bytes, shares.price, shares.most))});
}

std::int64_t ReuseBound::least_bytes(std::int64_t work) const {
    double best = 0.0;
    for (const Segment& one : segments_) {
        const double segments = std::ceil(static_cast<double>(work) / one.most_work * (1.0 - 1e-9));
        best = std::max(best, one.bytes * (segments - 1.0));
    }
    return static_cast<std::int64_t>(best * (1.0 - 1e-9));
}

double ReuseBound::least_touched(double work) const {
    const auto enough = std::partition_point(touched_.begin(), touched_.end(),
                                             [work](const Segment& one) { return one.most_work < work; });
    return enough == touched_.begin() ? 0.0 : std::prev(enough)->bytes;
}

// The first segment begins with `resident` bytes, so it may touch a full scratchpad beyond its own. Unless it is the
// last, later segments touch their loads and a full scratchpad; the last does the rest.
std::int64_t ReuseBound::least_bytes_from(std::int64_t work, std::int64_t resident) const {
    const double all = static_cast<double>(work) * (1.0 - 1e-9);
    const double empty = memory_ - static_cast<double>(resident);
    double best = least_touched(all) - static_cast<double>(resident);
    for (const Segment& one : segments_) {
        const double full = std::ceil(all / one.most_work) - 1.0;
        if (full < 1.0 || empty + one.bytes * (full + 1.0) <= best) continue;  // the rest is less than one segment
        const double rest = std::max(least_touched(all - full * one.most_work) - memory_, 0.0);
        best = std::max(best, empty + one.bytes * full + rest);
    }
    return std::max<std::int64_t>(static_cast<std::int64_t>(best * (1.0 - 1e-9)), 0);
}

Bounds bounds_of(const Problem& problem, LatencyRule rule) {
    const Sums sums(problem);
    const Cost inputs = sums.inputs();
    const Cost weights = sums.weights();
    const WordBits bits = word_bits(problem.machine, problem.layer);
    const Cost stored = sums.outputs(problem.layer.kept.output ? 0 : bits.output);
    const Cost created = sums.outputs(created_bits(problem));
    const auto [total, longest] = sums.operation_cycles();

    Bounds bounds;
    bounds.total_cycles = total;
    bounds.compute_cycles = std::max(ceil_div(total, problem.machine.cores), longest);
    bounds.distinct_bytes = checked_add(checked_add(inputs.bytes, weights.bytes), stored.bytes);
    const std::int64_t work = product_of(extents(problem.layer));
    const std::int64_t reuse = ReuseBound(problem, false).least_bytes(work) - created.bytes + stored.bytes;
    bounds.reuse_bytes = std::max<std::int64_t>(reuse, 0);
    bounds.traffic_bytes = std::max(bounds.distinct_bytes, bounds.reuse_bytes);
    // Two transfers before the first operation; on two channels possibly concurrent.
    const std::int64_t first = problem.machine.dma_channels > 1 ? std::max(inputs.least_cycles, weights.least_cycles)
                                                                : inputs.least_cycles + weights.least_cycles;
    const std::int64_t transfers = std::max(inputs.cycles + weights.cycles + stored.cycles,
                                            transfer_cycles(problem.machine, bounds.traffic_bytes));
    bounds.latency_cycles = latency_bound(problem, rule, bounds.compute_cycles, transfers, first + stored.least_cycles);
    return bounds;
}

double bound_of(const Bounds& bounds, const Objective& objective) {
    return objective.value(static_cast<double>(bounds.latency_cycles), static_cast<double>(bounds.traffic_bytes));
}

double bound_of_plan(const Problem& problem, const Bounds& bounds, LatencyRule rule, const Objective& objective,
                     std::int64_t traffic_bytes, std::int64_t cores) {
    const std::int64_t transfers = transfer_cycles(problem.machine, traffic_bytes);
    const std::int64_t compute = std::max(bounds.compute_cycles, ceil_div(bounds.total_cycles, cores));
    const std::int64_t latency = latency_bound(problem, rule, compute, transfers, 0);
    return objective.value(static_cast<double>(std::max(latency, bounds.latency_cycles)),
                           static_cast<double>(std::max(traffic_bytes, bounds.traffic_bytes)));
}

std::vector<std::int64_t> tile_sizes(std::int64_t extent, std::int64_t granule) {
    std::vector<std::int64_t> sizes;
    const std::int64_t granules = ceil_div(extent, granule);
    for (std::int64_t tile = 1; tile <= granules; ++tile) {
        // Larger than necessary for its tile count: one granule less cuts as often.
        const std::int64_t count = ceil_div(granules, tile);
        if (tile > 1 && ceil_div(granules, tile - 1) == count) continue;
        sizes.push_back(std::min(extent, tile * granule));
    }
    return sizes;
}

// Larger tile counts are not tried: halos and edges make them worse, and slow to judge.
constexpr std::int64_t kMostTried = std::int64_t{1} << 18;

std::vector<BoundedTiling> tilings(const MultiNpu& machine, const ConvLayer& layer, LatencyRule rule,
                                   const Objective& objective) {
    std::vector<BoundedTiling> result;
    Problem problem{machine, layer, {}};
    for (const std::int64_t w : tile_sizes(layer.out_w, 1))
        for (const std::int64_t h : tile_sizes(layer.out_h, 1))
            for (const std::int64_t c : tile_sizes(layer.in_c, machine.array.in_channels))
                for (const std::int64_t k : tile_sizes(layer.out_c, machine.array.out_channels)) {
                    problem.tiling = {{w, h, c, k}};
                    if (!fits(problem) || operation_count(problem) > kMostTried) continue;
                    const Bounds bounds = bounds_of(problem, rule);
                    result.push_back({problem.tiling, bounds, bound_of(bounds, objective)});
                }
    const auto key = [&](const BoundedTiling& one) {
        return std::tuple(one.bound, operation_count(Problem{machine, layer, one.tiling}), one.tiling.value);
    };
    std::sort(result.begin(), result.end(),
              [&](const BoundedTiling& a, const BoundedTiling& b) { return key(a) < key(b); });
    return result;
}

}  // namespace tilewright::schedule
