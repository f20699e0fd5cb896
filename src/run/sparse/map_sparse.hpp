// Maps a network on a machine that does something about zeros, as map_network() maps dense ones.
//
//     const SparseNetwork problem = sparse_network(network, architecture, constraints, design);
//     const NetworkAnswer answer = map_network(problem.layers, options, {.map_shape = sparse_mapper(problem)});
//     const report::Report report = report_of_sparse(network, architecture, problem, answer);
//
// Values in, values out; the answers are the same on any number of threads, but for a time limit and a stop.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "run/map_network.hpp"
#include "run/sparse/sparse_cache.hpp"
#include "sparse/design.hpp"

namespace tilewright {

/// The layer shapes, and what the machine does about zeros in each.
struct SparseNetwork {
    NetworkProblem layers;
    std::vector<sparse::Design> designs;  ///< by shape
};

/// What a machine does about zeros in a layer.
using DesignOf = std::function<sparse::Design(const Layer&)>;

/// Layers of one shape whose designs differ are several shapes.
SparseNetwork sparse_network(const Network& network, const Architecture& architecture, const ConstraintsOf& constraints,
                             const DesignOf& design);

/// What stands against a search of sparse machines with these options, in one sentence, or "". `dashes`: before names
/// of options; "" for Python, which has no --dense.
std::string problem_with_sparse(const MapOptions& options, const std::string& dashes = "--");

/// That a mapper of this name maps dense layers only, and which ones map sparse machines.
std::string dense_mapper_problem(const std::string& mapper, const std::string& dashes = "--");

/// Maps by the exact account (docs/sparsity.md). Refers to the problem. What it maps with has to be options that
/// nothing stands against. `cache`: has proven answers, and gets those that are found; may be null. Throws
/// OverflowError.
MapsShape sparse_mapper(const SparseNetwork& problem, SparseCache* cache = nullptr);

/// As report_of(), with what zeros save.
report::Report report_of_sparse(const Network& network, const Architecture& architecture, const SparseNetwork& problem,
                                const NetworkAnswer& answer);

}  // namespace tilewright
