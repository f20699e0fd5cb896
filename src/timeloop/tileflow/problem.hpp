// TileFlow's problems: operations that share tensors, over one set of dimensions.
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
    std::vector<Tensor> tensors;  ///< in the order in which they come up; `written`: read-write, sums go on
    std::vector<Operation> operations;
    std::vector<int> inputs;
    std::vector<int> outputs;
    /// The axes of all data spaces of all operations in the order of the file. Early releases took the i-th for those
    /// of tensor i, which is another one's as soon as a data space was listed before.
    std::vector<std::vector<Rank>> listed_ranks;

    int dimension_of(const std::string& name) const;  ///< -1: there is none
    int tensor_of(const std::string& name) const;     ///< -1: there is none
};

/// Whether a tree with `problem` is one of TileFlow's.
bool is_problem(const yaml::Node& root);

/// `root`: a tree with `problem`; hyphens in keys may be underscores; `macros`: what names of `instance` stand for.
/// Throws InputError at its place: unknown names, an operation that reads what was not made before, a tensor with other
/// axes than where it is listed first.
Problem read_problem(const yaml::Node& root, const yaml::Node* macros = nullptr);

/// The section `macro`, numbers by name, or null.
const yaml::Node* macros_of(const yaml::Node& root);

/// Every operation an einsum: what sums products is a contraction, what sums one operand statistics, all else
/// elementwise. Throws InputError(bad_value) where the tensors' sizes do not fit each other.
Cascade cascade_of(const Problem& problem, const std::string& name);

}  // namespace tilewright::tileflow
