// TileFlow's problems: operations with shared tensors, over one set of dimensions.
//
//     problem:
//       io: {ins: "Q, K", outs: C}
//       dimensions: [M, L, A]
//       instance: {M: 512, L: 512, A: 64}
//       ops:
//       - name: ProduceC
//         dimensions: [M, L, A]
//         data-spaces:
//         - {name: C, projection: [[[M]], [[L]]], read-write: True}
//         - {name: Q, projection: [[[M]], [[A]]]}
//         - {name: K, projection: [[[A]], [[L]]]}
//         ins: Q, K
//         out: C
//
// Values; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/notes.hpp"
#include "workload/cascade/cascade.hpp"
#include "yaml/node.hpp"

namespace tilewright::tileflow {

struct Operation {
    std::string name;
    std::vector<int> reads;  ///< in Problem::tensors
    int writes = 0;
    std::vector<int> dimensions;  ///< in Problem::dimensions
};

struct Problem {
    std::vector<Dimension> dimensions;
    std::vector<Tensor> tensors;  ///< in order of appearance; `written`: read-write, accumulation continues
    std::vector<Operation> operations;
    std::vector<int> inputs;
    std::vector<int> outputs;
    /// Axes of all data spaces of all operations in file order. Early releases took the i-th for tensor i: another
    /// tensor's after any repeated data space.
    std::vector<std::vector<Rank>> listed_ranks;

    int dimension_of(const std::string& name) const;  ///< -1: there is none
    int tensor_of(const std::string& name) const;     ///< -1: there is none
};

/// Whether the tree's `problem` is TileFlow's.
bool is_problem(const yaml::Node& root);

/// `root`: a tree with `problem`; hyphens in keys may be underscores; `macros`: values of names in `instance`. Throws
/// InputError at its place: unknown names, an operand not yet produced, a tensor with other axes than at its first
/// listing.
Problem read_problem(const yaml::Node& root, const yaml::Node* macros = nullptr);

/// The section `macro`, numbers by name, or null.
const yaml::Node* macros_of(const yaml::Node& root);

/// Every operation as an einsum: sums of products are contractions, sums of one operand statistics, the rest
/// elementwise. Throws InputError(bad_value) if tensor sizes do not match.
Cascade cascade_of(const Problem& problem, const std::string& name);

}  // namespace tilewright::tileflow
