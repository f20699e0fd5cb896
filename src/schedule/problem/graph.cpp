#include "schedule/problem/graph.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::schedule {
namespace {

std::int64_t product(std::initializer_list<std::int64_t> factors) {
    std::int64_t result = 1;
    for (const std::int64_t factor : factors) result = checked_mul(result, factor);
    return result;
}

// Tile sizes along one dimension: equal ones, and the remainder.
std::vector<std::int64_t> sizes(std::int64_t extent, std::int64_t tile) {
    std::vector<std::int64_t> result(static_cast<std::size_t>(ceil_div(extent, tile)), tile);
    result.back() = extent - tile * static_cast<std::int64_t>(result.size() - 1);
    return result;
}

// Inputs along one axis for `positions` neighbouring outputs, halo included.
std::int64_t checked_window(std::int64_t positions, std::int64_t stride, std::int64_t kernel, std::int64_t dilation) {
    return checked_add(checked_add(checked_mul(positions - 1, stride), checked_mul(kernel - 1, dilation)), 1);
}

std::int64_t input_bytes(const Problem& problem, std::int64_t out_w, std::int64_t out_h, std::int64_t in_c) {
    const ConvLayer& layer = problem.layer;
    if (layer.kept.input) return 0;
    return packed_bytes(product({checked_window(out_w, layer.stride_w, layer.kernel_w, layer.dilation_w),
                                 checked_window(out_h, layer.stride_h, layer.kernel_h, layer.dilation_h), in_c}),
                        word_bits(problem.machine, layer).input);
}

std::int64_t weight_bytes(const Problem& problem, std::int64_t in_c, std::int64_t out_c) {
    return packed_bytes(product({problem.layer.kernel_w, problem.layer.kernel_h, in_c, out_c}),
                        word_bits(problem.machine, problem.layer).weight);
}

// With one operation per output there are no partial sums, and a kept output needs no block.
std::int64_t accumulated_bits(const Problem& problem) {
    const WordBits bits = word_bits(problem.machine, problem.layer);
    const bool chains = problem.tiling[Dim::in_c] < problem.layer.in_c;
    if (chains) return bits.partial_sum;
    return problem.layer.kept.output ? 0 : bits.output;
}

std::int64_t stored_bits(const Problem& problem) {
    return problem.layer.kept.output ? 0 : word_bits(problem.machine, problem.layer).output;
}

class Builder {
   public:
    explicit Builder(const Problem& problem) {
        graph_.problem = problem;
        graph_.counts = tile_counts(problem.layer, problem.tiling);
        const PerDim all = extents(problem.layer);
        for (int d = 0; d < kDims; ++d) {
            const auto i = static_cast<std::size_t>(d);
            sizes_[i] = sizes(all.value[i], problem.tiling.value[i]);
        }
    }

    OperationGraph build(bool with_operations) {
        add_inputs();
        add_weights();
        add_outputs();
        graph_.first[kOperands] = graph_.tile_count();
        if (with_operations) add_operations();
        return std::move(graph_);
    }

   private:
    const std::vector<std::int64_t>& along(Dim dim) const { return sizes_[static_cast<std::size_t>(dim)]; }
    int count(Dim dim) const { return static_cast<int>(graph_.counts[dim]); }

    void begin(Operand operand) { graph_.first[static_cast<std::size_t>(operand)] = graph_.tile_count(); }

    void add(Operand operand, std::int64_t block, std::int64_t store, std::int64_t uses) {
        const auto o = static_cast<std::size_t>(operand);
        const int index = graph_.tile_count() - graph_.first[o];
        graph_.load_bytes[o] = checked_add(graph_.load_bytes[o], block);
        graph_.store_bytes[o] = checked_add(graph_.store_bytes[o], store);
        graph_.tiles.push_back({operand, index, block, block, store, static_cast<int>(uses)});
    }

    void add_inputs() {
        begin(Operand::input);
        for (const std::int64_t w : along(Dim::out_w))
            for (const std::int64_t h : along(Dim::out_h))
                for (const std::int64_t c : along(Dim::in_c))
                    add(Operand::input, input_bytes(graph_.problem, w, h, c), 0, count(Dim::out_c));
    }

    void add_weights() {
        begin(Operand::weight);
        const std::int64_t uses = graph_.counts[Dim::out_w] * graph_.counts[Dim::out_h];
        for (const std::int64_t c : along(Dim::in_c))
            for (const std::int64_t k : along(Dim::out_c))
                add(Operand::weight, weight_bytes(graph_.problem, c, k), 0, uses);
    }

    void add_outputs() {
        begin(Operand::output);
        for (const std::int64_t w : along(Dim::out_w))
            for (const std::int64_t h : along(Dim::out_h))
                for (const std::int64_t k : along(Dim::out_c))
                    add(Operand::output, packed_bytes(product({w, h, k}), accumulated_bits(graph_.problem)),
                        packed_bytes(product({w, h, k}), stored_bits(graph_.problem)), count(Dim::in_c));
    }

    void add_operations() {
        graph_.operations.reserve(static_cast<std::size_t>(operation_count(graph_.problem)));
        for (int w = 0; w < count(Dim::out_w); ++w)
            for (int h = 0; h < count(Dim::out_h); ++h)
                for (int k = 0; k < count(Dim::out_c); ++k)
                    for (int c = 0; c < count(Dim::in_c); ++c) add_operation(w, h, c, k);
    }

    void add_operation(int w, int h, int c, int k) {
        const int place = w * count(Dim::out_h) + h;
        const std::array<int, kOperands> tiles{
            graph_.first[0] + place * count(Dim::in_c) + c,
            graph_.first[1] + c * count(Dim::out_c) + k,
            graph_.first[2] + place * count(Dim::out_c) + k,
        };
        const TileShape shape = tile_shape(graph_.problem.layer, size(Dim::out_w, w), size(Dim::out_h, h),
                                           size(Dim::in_c, c), size(Dim::out_c, k));
        const std::int64_t cycles = cycles_of(shape);
        graph_.total_cycles = checked_add(graph_.total_cycles, cycles);
        const std::int64_t work = product({shape.out_w, shape.out_h, shape.in_c, shape.out_c});
        graph_.total_work = checked_add(graph_.total_work, work);
        graph_.operations.push_back({tiles, cycles, work, c});
    }

    // Two sizes per dimension: at most sixteen shapes.
    std::int64_t cycles_of(const TileShape& shape) {
        const auto whole = [&](Dim dim, std::int64_t size) { return size == along(dim).front() ? 0U : 1U; };
        const std::size_t code = whole(Dim::out_w, shape.out_w) + whole(Dim::out_h, shape.out_h) * 2U +
                                 whole(Dim::in_c, shape.in_c) * 4U + whole(Dim::out_c, shape.out_c) * 8U;
        if (cycles_[code] == 0) cycles_[code] = operation_cycles(graph_.problem.machine, shape);
        return cycles_[code];
    }

    std::int64_t size(Dim dim, int index) const { return along(dim)[index]; }

    OperationGraph graph_;
    std::array<std::int64_t, 16> cycles_{};
    std::array<std::vector<std::int64_t>, kDims> sizes_;
};

}  // namespace

std::string tile_name(Operand operand, int index) {
    constexpr std::array<const char*, kOperands> kShort{"IN", "WT", "OT"};
    return kShort[static_cast<std::size_t>(operand)] + std::to_string(index);
}

PerDim tile_counts(const ConvLayer& layer, const PerDim& tiling) {
    const PerDim all = extents(layer);
    PerDim counts;
    for (std::size_t d = 0; d < kDims; ++d) counts.value[d] = ceil_div(all.value[d], tiling.value[d]);
    return counts;
}

std::int64_t own_bytes(const MultiNpu& machine, const ConvLayer& layer) {
    return machine.scratchpad_bytes - layer.kept.below_bytes - layer.kept.above_bytes;
}

std::int64_t largest_block(const Problem& problem, Operand operand) {
    const PerDim& tile = problem.tiling;
    switch (operand) {
        case Operand::input: return input_bytes(problem, tile[Dim::out_w], tile[Dim::out_h], tile[Dim::in_c]);
        case Operand::weight: return weight_bytes(problem, tile[Dim::in_c], tile[Dim::out_c]);
        case Operand::output:
            return packed_bytes(product({tile[Dim::out_w], tile[Dim::out_h], tile[Dim::out_c]}),
                                accumulated_bits(problem));
    }
    return 0;
}

bool fits(const Problem& problem) {
    std::int64_t bytes = 0;
    for (int operand = 0; operand < kOperands; ++operand)
        bytes = checked_add(bytes, largest_block(problem, static_cast<Operand>(operand)));
    return bytes <= own_bytes(problem.machine, problem.layer);
}

std::int64_t operation_count(const Problem& problem) {
    const PerDim counts = tile_counts(problem.layer, problem.tiling);
    std::int64_t result = 1;
    for (const std::int64_t count : counts.value) result = saturating_mul(result, count);
    return result;
}

OperationGraph make_graph(const Problem& problem) {
    if (operation_count(problem) > kMostOperations) throw OverflowError();
    return Builder(problem).build(true);
}

OperationGraph make_tiles(const Problem& problem) {
    if (operation_count(problem) > kMostOperations) throw OverflowError();
    return Builder(problem).build(false);
}

}  // namespace tilewright::schedule
