// One product on an accelerator: its kernels (a thread-block tile, a split of the reduction) and their times.
//
// Blocks run in waves over the multiprocessors; a block takes its operations, its operands through the inlet or out of
// the cache, or its steps; memory moves meanwhile, weights that stayed in the cache excepted. All kernels are computed:
// fewer than two hundred.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "silicon/accelerator/kernels.hpp"

namespace tilewright::silicon {

struct ProductKernel {
    std::int64_t rows = 16;  ///< of a tile
    std::int64_t columns = 32;
    std::int64_t split = 1;

    bool operator==(const ProductKernel&) const = default;
};

/// A batch of equal products in one kernel; a convolution as an implicit product.
struct ProductWork {
    ProductSize size;  ///< of each
    Precision precision = Precision::bfloat16;
    double count = 1.0;
    double copies = 0.0;       ///< of the weights; 0: the measuring program's
    double rate_share = 1.0;   ///< of the machine's rate
    double input_words = 0.0;  ///< of each in memory; 0: m k
    bool by_itself = true;     ///< again and again, as measured; else among kernels that ask for less power
};

struct ProductTime {
    double us = 0.0;
    double launch_us = 0.0;
    double block_us = 0.0;  ///< all waves
    double memory_us = 0.0;
    double waves = 0.0;
    bool inlet_binds = false;
    ProductKernel kernel;
};

/// Tiles of 16 to 256 rows and 32 to 256 columns with at most 32,768 results, in a fixed order.
const std::vector<ProductKernel>& product_tiles();

/// The kernels for each of these products, at least one: without tiles of half padding where smaller ones exist; a
/// split only where the grid leaves multiprocessors idle and each part has 256 of the reduction.
std::vector<ProductKernel> product_kernels(const DataSheet& sheet, const ProductWork& work);

/// `grid`: blocks of each product without its split; 0: its rows and columns over the tile's.
ProductTime product_time(const Accelerator& machine, const ProductWork& work, const ProductKernel& kernel,
                         double grid = 0.0);

/// The fastest; the first of equals.
ProductTime best_product(const Accelerator& machine, const ProductWork& work);

}  // namespace tilewright::silicon
