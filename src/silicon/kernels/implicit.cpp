#include "silicon/kernels/implicit.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "workload/layer_roles.hpp"
#include "workload/shapes.hpp"

namespace tilewright::silicon {
namespace {

struct OperandIndices {
    int weights = -1;
    int inputs = -1;
    int outputs = -1;
};

std::optional<OperandIndices> operand_indices(const Einsum& einsum) {
    std::vector<int> read;
    OperandIndices result;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        if (!einsum.tensors[t].written)
            read.push_back(t);
        else if (result.outputs >= 0)
            return std::nullopt;
        else
            result.outputs = t;
    }
    if (read.size() != 2 || result.outputs < 0) return std::nullopt;
    const bool first = weights_come_first(einsum);
    result.weights = read[first ? 0 : 1];
    result.inputs = read[first ? 1 : 0];
    return result;
}

Side side_of(const Einsum& einsum, const OperandIndices& operands, int dimension) {
    if (!is_relevant(einsum.tensors[operands.outputs], dimension)) return Side::depth;
    const bool of_weights = is_relevant(einsum.tensors[operands.weights], dimension);
    const bool of_inputs = is_relevant(einsum.tensors[operands.inputs], dimension);
    if (of_weights && of_inputs) return Side::batch;
    return of_weights ? Side::columns : Side::rows;
}

std::vector<int> dimensions_of(const ImplicitProduct& product, const Einsum& einsum, Side side) {
    std::vector<int> result;
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (product.sides[d] == side && einsum.dimensions[d].extent > 1) result.push_back(d);
    return result;
}

std::int64_t positions(const ImplicitProduct& product, const Einsum& einsum, Side side) {
    std::int64_t count = 1;
    for (const int d : dimensions_of(product, einsum, side)) count = checked_mul(count, einsum.dimensions[d].extent);
    return count;
}

// Ranges of some dimensions with at most `most` positions: the fewest blocks.
class Rectangle {
   public:
    Rectangle(std::vector<std::int64_t> extents, std::int64_t most) : extents_(std::move(extents)) {
        tried_.assign(extents_.size(), 1);
        place(static_cast<int>(extents_.size()) - 1, most, 1);
    }
    const std::vector<std::int64_t>& ranges() const { return best_; }

   private:
    // Ranges that no shorter one replaces at equal blocks, the longest first.
    void place(int at, std::int64_t room, std::int64_t blocks) {
        if (fewest_ > 0 && blocks >= fewest_) return;
        if (at < 0) {
            fewest_ = blocks;
            best_ = tried_;
            return;
        }
        const std::int64_t extent = extents_[at];
        if (at == 0) {  // nothing else needs the room
            tried_[at] = std::min(extent, room);
            return place(-1, 1, checked_mul(blocks, ceil_div(extent, tried_[at])));
        }
        for (std::int64_t count = ceil_div(extent, std::min(extent, room)); count <= extent;) {
            const std::int64_t range = ceil_div(extent, count);
            tried_[at] = range;
            place(at - 1, room / range, checked_mul(blocks, ceil_div(extent, range)));
            if (range == 1) break;
            count = ceil_div(extent, range - 1);
        }
    }

    std::vector<std::int64_t> extents_;
    std::vector<std::int64_t> tried_;
    std::vector<std::int64_t> best_;
    std::int64_t fewest_ = 0;
};

}  // namespace

std::variant<ImplicitProduct, std::string> implicit_product(const Einsum& einsum) {
    const std::optional<OperandIndices> operands = operand_indices(einsum);
    if (!operands) return std::string("it is no product of two tensors");
    ImplicitProduct product;
    for (int d = 0; d < einsum.dimension_count(); ++d) product.sides.push_back(side_of(einsum, *operands, d));
    for (const int d : dimensions_of(product, einsum, Side::depth))
        if (product.split_dimension < 0 ||
            einsum.dimensions[d].extent > einsum.dimensions[product.split_dimension].extent)
            product.split_dimension = d;
    product.batch.count = positions(product, einsum, Side::batch);
    product.batch.each = {positions(product, einsum, Side::rows), positions(product, einsum, Side::columns),
                          positions(product, einsum, Side::depth)};
    const auto words =
        static_cast<double>(tensor_words(einsum, operands->inputs)) / static_cast<double>(product.batch.count);
    const Product& each = product.batch.each;
    if (words != static_cast<double>(each.rows) * static_cast<double>(each.depth))
        product.batch.each.input_words = words;
    return product;
}

bool can_split(const ImplicitProduct& product, const Einsum& einsum, std::int64_t split) {
    if (split == 1) return true;
    if (product.split_dimension < 0) return false;
    const std::int64_t extent = einsum.dimensions[product.split_dimension].extent;
    return extent >= split && (split - 1) * ceil_div(extent, split) < extent;
}

Extents block_extents(const ImplicitProduct& product, const Einsum& einsum, const Tile& tile, std::int64_t split,
                      std::int64_t depth) {
    Extents block;
    block.fill(1);
    const auto fill = [&](Side side, std::int64_t most) {
        const std::vector<int> dimensions = dimensions_of(product, einsum, side);
        std::vector<std::int64_t> extents;
        for (const int d : dimensions)
            extents.push_back(ceil_div(einsum.dimensions[d].extent, d == product.split_dimension ? split : 1));
        const Rectangle best(extents, most);
        for (std::size_t i = 0; i < dimensions.size(); ++i) block[dimensions[i]] = best.ranges()[i];
    };
    fill(Side::rows, tile.rows);
    fill(Side::columns, tile.columns);
    fill(Side::depth, depth);
    return block;
}

std::int64_t blocks_of_one(const ImplicitProduct& product, const Einsum& einsum, const Extents& block) {
    std::int64_t count = 1;
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (product.sides[d] == Side::rows || product.sides[d] == Side::columns)
            count = checked_mul(count, ceil_div(einsum.dimensions[d].extent, block[d]));
    return count;
}

namespace {

ProductLatency together(ProductLatency one, double count, const KernelMachine& machine) {
    one.memory_us *= count;
    one.us = one.launch_us + overlapped(one.block_us, one.memory_us, machine.overlap_exponent);
    return one;
}

std::int64_t extent_of(const Einsum& einsum, const char* name) {
    const int dimension = find_dimension(einsum, name);
    return dimension < 0 ? 1 : einsum.dimensions[dimension].extent;
}

}  // namespace

std::vector<BlockMapping> block_mappings(const ProductBatch& batch, const KernelMachine& machine) {
    std::vector<BlockMapping> mappings = block_mappings(batch.each, machine);
    for (BlockMapping& mapping : mappings) {
        mapping.blocks = checked_mul(mapping.blocks, batch.count);
        mapping.waves = ceil_div(mapping.blocks, machine.multiprocessors);
    }
    return mappings;
}

ProductLatency latency_of(const ProductBatch& batch, const BlockMapping& mapping, const KernelMachine& machine) {
    return together(latency_of(batch.each, mapping, machine), static_cast<double>(batch.count), machine);
}

ProductLatency batch_latency(const ProductBatch& batch, const KernelMachine& machine) {
    if (!machine.has_blocks()) {
        ProductLatency all = product_latency(batch.each, machine);
        all.block_us *= static_cast<double>(batch.count);
        return together(all, static_cast<double>(batch.count), machine);
    }
    const std::vector<BlockMapping> mappings = block_mappings(batch, machine);
    std::optional<ProductLatency> best;
    for (const BlockMapping& mapping : mappings) {
        const ProductLatency all = latency_of(batch, mapping, machine);
        if (!best || all.us < best->us) best = all;
    }
    best->compared = static_cast<std::int64_t>(mappings.size());
    return *best;
}

std::optional<ProductBatch> batch_of(const Einsum& einsum) {
    const std::int64_t groups = extent_of(einsum, "G");
    const Product each{extent_of(einsum, "N"), extent_of(einsum, "K"), extent_of(einsum, "C"), false};
    Einsum like = batched_matmul(groups, each.rows, each.depth, each.columns);
    if (like.dimensions != einsum.dimensions || like.tensors.size() != einsum.tensors.size()) return std::nullopt;
    for (std::size_t t = 0; t < like.tensors.size(); ++t) like.tensors[t].bits = einsum.tensors[t].bits;
    if (like.tensors != einsum.tensors) return std::nullopt;
    return ProductBatch{each, groups};
}

}  // namespace tilewright::silicon
