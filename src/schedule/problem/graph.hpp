// OperationGraph: a tiled layer, and the operations OT <- IN, WT [, PS] on its tiles.
//
// Tiles and operations are numbered row by row over their coordinates (tile counts in brackets):
//     input  [ow][oh][ic]     weight [ic][oc]     output [ow][oh][oc]     operation [ow][oh][oc][ic]
// so that the operations of one output tile, a chain over the input channels, are consecutive.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule/problem/layer.hpp"
#include "schedule/problem/machine.hpp"

namespace tilewright::schedule {

enum class Operand { input, weight, output };
inline constexpr int kOperands = 3;
inline constexpr std::array<const char*, kOperands> kOperandNames{"input", "weight", "output"};

/// Tile names of Flexer's figures: "IN3", "WT0", "OT5".
std::string tile_name(Operand operand, int index);

/// A layer, its tiling, and the machine.
struct Problem {
    MultiNpu machine;
    ConvLayer layer;
    PerDim tiling;  ///< tile sizes; between 1 and the extents. Tiles at the end are smaller

    bool operator==(const Problem&) const = default;
};

struct Tile {
    Operand operand = Operand::input;
    int index = 0;                 ///< within its operand
    std::int64_t block_bytes = 0;  ///< scratchpad bytes; 0: in a kept tensor, never moved
    std::int64_t load_bytes = 0;   ///< bytes of a load (output: as partial sum, also of a spill)
    std::int64_t store_bytes = 0;  ///< output: bytes of the final store; 0: it stays
    int uses = 0;                  ///< operations using it
};

struct Operation {
    std::array<int, kOperands> tiles{};  ///< by Operand, indices into OperationGraph::tiles
    std::int64_t cycles = 0;
    std::int64_t work = 0;  ///< outputs * input channels
    int step = 0;           ///< position in its chain, from 0
};

struct OperationGraph {
    Problem problem;
    PerDim counts;            ///< numbers of tiles
    std::vector<Tile> tiles;  ///< inputs, weights, outputs
    std::vector<Operation> operations;
    std::int64_t total_cycles = 0;                      ///< of all operations
    std::int64_t total_work = 0;                        ///< same
    std::array<std::int64_t, kOperands> load_bytes{};   ///< sum over an operand's tiles
    std::array<std::int64_t, kOperands> store_bytes{};  ///< of all outputs
    std::array<int, kOperands + 1> first{};             ///< first tile of each operand; the last: the total

    int tile_count() const { return static_cast<int>(tiles.size()); }
    int operation_count() const { return static_cast<int>(operations.size()); }
    int chain_length() const { return static_cast<int>(counts[Dim::in_c]); }
    const Tile& tile(int id) const { return tiles[id]; }
    const Operation& operation(int id) const { return operations[id]; }
    int tile_of(int operation_id, Operand operand) const {
        return operation(operation_id).tiles[static_cast<std::size_t>(operand)];
    }
    /// Whether it ends its chain.
    bool finishes(int operation_id) const { return operation(operation_id).step + 1 == chain_length(); }
    int operation_at(const PerDim& at) const {
        return static_cast<int>(
            ((at[Dim::out_w] * counts[Dim::out_h] + at[Dim::out_h]) * counts[Dim::out_c] + at[Dim::out_c]) *
                counts[Dim::in_c] +
            at[Dim::in_c]);
    }
};

/// Maximum for graphs and schedules.
inline constexpr std::int64_t kMostOperations = std::int64_t{1} << 24;

PerDim tile_counts(const ConvLayer& layer, const PerDim& tiling);

/// Scratchpad bytes left to the layer's own tiles; may be negative.
std::int64_t own_bytes(const MultiNpu& machine, const ConvLayer& layer);

/// The largest block of an operand; 0 for a kept one.
std::int64_t largest_block(const Problem& problem, Operand operand);

/// True if every operation's three tiles fit in the scratchpad together.
bool fits(const Problem& problem);

/// Operation count without the graph; saturates.
std::int64_t operation_count(const Problem& problem);

/// Requires a sound problem. Throws OverflowError beyond 64 bits or kMostOperations operations.
OperationGraph make_graph(const Problem& problem);
/// The same without operations.
OperationGraph make_tiles(const Problem& problem);

}  // namespace tilewright::schedule
