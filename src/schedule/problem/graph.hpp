// OperationGraph: a layer cut into tiles, and the operations OT <- IN, WT [, PS] on them.
//
// Tiles and operations are numbered row by row over their coordinates (numbers of tiles of the dimensions in brackets):
//     input  [ow][oh][ic]     weight [ic][oc]     output [ow][oh][oc]     operation [ow][oh][oc][ic]
// so that the operations of one output tile, a chain over the input channels, follow each other.
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

/// As Flexer's figures name tiles: "IN3", "WT0", "OT5".
std::string tile_name(Operand operand, int index);

/// What is cut, into which tiles, for which machine.
struct Problem {
    MultiNpu machine;
    ConvLayer layer;
    PerDim tiling;  ///< tile sizes; between 1 and the extents. Tiles at the end are smaller

    bool operator==(const Problem&) const = default;
};

struct Tile {
    Operand operand = Operand::input;
    int index = 0;                 ///< among the tiles of its operand
    std::int64_t block_bytes = 0;  ///< what it takes in the scratchpad; 0: it lies in a kept tensor, and is never moved
    std::int64_t load_bytes = 0;   ///< moved when it is loaded (output: as partial sum, also when it is spilled)
    std::int64_t store_bytes = 0;  ///< output: moved when it is finished and stored; 0: it stays
    int uses = 0;                  ///< operations that need it
};

struct Operation {
    std::array<int, kOperands> tiles{};  ///< by Operand, indices into OperationGraph::tiles
    std::int64_t cycles = 0;
    std::int64_t work = 0;  ///< outputs * input channels
    int step = 0;           ///< in its chain, from 0
};

struct OperationGraph {
    Problem problem;
    PerDim counts;            ///< numbers of tiles
    std::vector<Tile> tiles;  ///< inputs, weights, outputs
    std::vector<Operation> operations;
    std::int64_t total_cycles = 0;                      ///< of all operations
    std::int64_t total_work = 0;                        ///< same
    std::array<std::int64_t, kOperands> load_bytes{};   ///< of all tiles of an operand
    std::array<std::int64_t, kOperands> store_bytes{};  ///< of all outputs
    std::array<int, kOperands + 1> first{};             ///< of each operand's tiles; the last: all of them

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
    /// The operation at these tile coordinates.
    int operation_at(const PerDim& at) const {
        return static_cast<int>(
            ((at[Dim::out_w] * counts[Dim::out_h] + at[Dim::out_h]) * counts[Dim::out_c] + at[Dim::out_c]) *
                counts[Dim::in_c] +
            at[Dim::in_c]);
    }
};

/// No graph, and no schedule, has more.
inline constexpr std::int64_t kMostOperations = std::int64_t{1} << 24;

/// Numbers of tiles per dimension.
PerDim tile_counts(const ConvLayer& layer, const PerDim& tiling);

/// What the layer's own tiles may take of the scratchpad; may be negative.
std::int64_t own_bytes(const MultiNpu& machine, const ConvLayer& layer);

/// The largest tile of an operand in the scratchpad; 0 for one that is kept.
std::int64_t largest_block(const Problem& problem, Operand operand);

/// True when the three tiles of every operation fit in the scratchpad together.
bool fits(const Problem& problem);

/// Number of operations, without making them; saturates.
std::int64_t operation_count(const Problem& problem);

/// Requires a sound problem. Throws OverflowError when a count leaves 64 bits or there are more than kMostOperations
/// operations.
OperationGraph make_graph(const Problem& problem);
/// The same without its operations, for what needs to know the tiles alone.
OperationGraph make_tiles(const Problem& problem);

}  // namespace tilewright::schedule
