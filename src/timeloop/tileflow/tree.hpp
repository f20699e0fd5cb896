// TileFlow's mappings: a tree of tiles (loops at a memory, in time or across its fan-out), scopes (branches one after
// the other or side by side) and operations. Values; thread-safe.
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
        sequential,  ///< scopes: one after the other, each finds what the one before it left
        sharing,     ///< one after the other, none finds what another left
        pipeline,    ///< side by side
        parallel,    ///< side by side
        operation,
    };
    Kind kind = Kind::temporal;
    int memory = -1;              ///< of a tile, in Architecture::memories
    std::vector<TileLoop> loops;  ///< the outermost first; those that run once are left out
    bool multicasts = true;       ///< equal words that go to several instances are read once
    int operation = -1;           ///< in Problem::operations
    std::set<int> bypassed;       ///< tensors that pass the node by, in Problem::tensors
    std::vector<TreeNode> inside;
    Location where;

    bool is_tile() const { return kind == Kind::temporal || kind == Kind::spatial; }
    bool is_scope() const { return !is_tile() && kind != Kind::operation; }
};

/// Factors that TileFlow found for those that its file leaves open (`M=X`), in the order in which they stand there:
/// from the mapping that it prints ("for M in [0:X1(2)), L2").
std::vector<std::int64_t> read_found_factors(std::string_view text, const std::string& file);

/// Whether a tree with `mapping` is one of TileFlow's.
bool is_tree(const yaml::Node& root);

/// `root`: a tree with `mapping`; `found`: what stands for factors that are no numbers; `macros`: numbers of names in
/// factors (the section `macro`), if there are any. Throws InputError at its place:
/// unknown names, a factor that is left open, factors that do not make up a dimension, a tile at another memory than
/// the tree allows, more instances than the fan-out has.
TreeNode read_tree(const yaml::Node& root, const Problem& problem, const Architecture& architecture,
                   const std::vector<std::int64_t>& found = {}, const yaml::Node* macros = nullptr);

}  // namespace tilewright::tileflow
