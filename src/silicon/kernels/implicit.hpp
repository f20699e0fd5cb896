// Contractions of two tensors as implicit matrix products: convolutions of any kernel and stride, groups, attention's
// products, transposed convolutions.
//
//     dimension of       weights, inputs, results   inputs, results   weights, results   the others
//     is of the side     batch                      rows              columns            depth
//
// A kernel's thread block takes a rectangle of rows and one of columns: of each dimension a range.
//
// Pure functions; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mapping/tile.hpp"
#include "silicon/kernels/product.hpp"

namespace tilewright::silicon {

// Matrix products of equal sizes side by side in one kernel: heads of attention, experts. Pure; thread-safe.

struct ProductBatch {
    Product each;
    std::int64_t count = 1;

    bool operator==(const ProductBatch&) const = default;
};

/// Blocks of all products share the waves; memory moves every word of each; one launch. For one product:
/// product_latency().
ProductLatency batch_latency(const ProductBatch& batch, const KernelMachine& machine);

/// The machine's kernels for such a batch: block_mappings() of each, with the blocks of all.
std::vector<BlockMapping> block_mappings(const ProductBatch& batch, const KernelMachine& machine);

/// Of one of them. Requires a machine with blocks.
ProductLatency latency_of(const ProductBatch& batch, const BlockMapping& mapping, const KernelMachine& machine);

/// The layer as such a batch, if it has groups (workload/shapes.hpp: rank G) and is otherwise a product.
std::optional<ProductBatch> batch_of(const Einsum& einsum);

enum class Side : std::uint8_t { batch, rows, columns, depth };

struct ImplicitProduct {
    ProductBatch batch;
    std::vector<Side> sides;   ///< by dimension
    int split_dimension = -1;  ///< the longest of the depth; -1: none
};

/// Or the reason for none: not one result of two operands.
std::variant<ImplicitProduct, std::string> implicit_product(const Einsum& einsum);

/// The range of each dimension in a block: at most the tile's rows, columns and `depth`, with the fewest blocks, on
/// ties the longest inner ranges; the reduction of one part of a split.
Extents block_extents(const ImplicitProduct& product, const Einsum& einsum, const Tile& tile, std::int64_t split,
                      std::int64_t depth);

/// Of rows and columns, in one product of the batch.
std::int64_t blocks_of_one(const ImplicitProduct& product, const Einsum& einsum, const Extents& block);

/// Whether the reduction has so many equal parts: of its longest dimension.
bool can_split(const ImplicitProduct& product, const Einsum& einsum, std::int64_t split);

}  // namespace tilewright::silicon
