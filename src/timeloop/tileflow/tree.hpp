// TileFlow's mappings: a tree of tiles (loops at a memory, in time or across its fan-out), scopes (branches in sequence
// or side by side) and operations. Values; thread-safe.
//
//     mapping:
//       node-type: Tile
//       type: Temporal
//       factors: M=64 L=32
//       permutation: ML            # the innermost first
//       target: MainMemory
//       subtree:
//       - node-type: Scope
//         type: Pipeline
//         subtree: [...]           # tiles that end in {node-type: Op, name: GEMM1, binding: M:M}
// Instances below a memory, and those used by a spatial tile.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.hpp"
#include "base/error.hpp"
#include "timeloop/tileflow/problem.hpp"
#include "yaml/node.hpp"

namespace tilewright::tileflow {

struct TileLoop {
    int dimension = 0;
    std::int64_t count = 1;
    bool along_y = false;  ///< of a spatial tile
};

struct TreeNode {
    enum class Kind {
        temporal,
        spatial,
        sequential,  ///< scopes: in sequence, each starts from the previous one's contents
        sharing,     ///< in sequence, each starts empty
        pipeline,    ///< side by side
        parallel,    ///< side by side
        operation,
    };
    Kind kind = Kind::temporal;
    int memory = -1;              ///< of a tile, in Architecture::memories
    std::vector<TileLoop> loops;  ///< outermost first; single-iteration loops are left out
    bool multicasts = true;       ///< equal words for several instances are read once
    int operation = -1;           ///< in Problem::operations
    std::set<int> bypassed;       ///< bypassing tensors, in Problem::tensors
    std::vector<TreeNode> inside;
    Location where;

    bool is_tile() const { return kind == Kind::temporal || kind == Kind::spatial; }
    bool is_scope() const { return !is_tile() && kind != Kind::operation; }
};

/// TileFlow's factors for the free ones of its file (`M=X`), in their order, from its printed mapping ("for M in
/// [0:X1(2)), L2").
std::vector<std::int64_t> read_found_factors(std::string_view text, const std::string& file);

/// Whether the tree's `mapping` is TileFlow's.
bool is_tree(const yaml::Node& root);

/// `root`: a tree with `mapping`; `found`: values of non-numeric factors; `macros`: numbers of names in factors (the
/// section `macro`), if any. Throws InputError at its place: unknown names, a free factor, factors short of a
/// dimension, a tile at a memory against the tree's order, more instances than the fan-out has.
TreeNode read_tree(const yaml::Node& root, const Problem& problem, const Architecture& architecture,
                   const std::vector<std::int64_t>& found = {}, const yaml::Node* macros = nullptr);

/// Between a memory and the next inner one. Requires one.
Mesh fanout_below(const Architecture& architecture, int memory);

/// 1 x 1 for all but spatial tiles.
Mesh instances_of(const TreeNode& node);

}  // namespace tilewright::tileflow
