// Maps a network on a machine that does something about zeros: every distinct layer once, side by side on all threads.
//
//     const SparseNetwork problem = sparse_network(network, architecture, constraints, design);
//     const report::Report report = map_sparse(network, architecture, problem, options);
//
// Values in, values out; the answers are the same on any number of threads, but for a time limit and a stop.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "run/map_network.hpp"
#include "sparse/design.hpp"

namespace tilewright {

/// A layer shape with one machine's design for it, and all layers of the network that have both.
struct SparseShape {
    ShapeProblem shape;
    sparse::Design design;
};

struct SparseNetwork {
    std::vector<SparseShape> shapes;  ///< in order of first appearance
};

/// What a machine does about zeros in a layer.
using DesignOf = std::function<sparse::Design(const Layer&)>;

SparseNetwork sparse_network(const Network& network, const Architecture& architecture, const ConstraintsOf& constraints,
                             const DesignOf& design);

/// What stands against a search of sparse machines with these options, in one sentence, or "".
std::string problem_with_sparse(const MapOptions& options);

/// By the exact account (docs/sparsity.md). All but provenance and notes, as report_of(). Requires options that nothing
/// stands against. Throws OverflowError as InputError(overflow) that names the layer.
report::Report map_sparse(const Network& network, const Architecture& architecture, const SparseNetwork& problem,
                          const MapOptions& options, const StopSource* stop = nullptr);

}  // namespace tilewright
