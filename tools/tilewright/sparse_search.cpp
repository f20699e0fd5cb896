#include "sparse_search.hpp"

#include <utility>

#include "search_layers.hpp"

namespace tilewright::cli {

SparseAnswer map_sparse_layers(Inputs& inputs, const Network& network, const Architecture& architecture,
                               const MapOptions& options, SparseCache& cache, bool quiet) {
    if (const std::string problem = problem_with_sparse(options); !problem.empty()) fail_usage("map", problem);
    SparseNetwork problem = sparse_network(
        network, architecture, [&](const Einsum& einsum) { return inputs.constraints(architecture, einsum); },
        [&](const Layer& layer) { return inputs.sparse_design(layer, architecture).value(); });
    AnswerCache none;  // of dense layers
    const NetworkAnswer answer = search_layers(problem.layers, options, none, quiet, sparse_mapper(problem, &cache));
    report::Report report = report_of_sparse(network, architecture, problem, answer);
    for (report::LayerResult& layer : report.layers) name_density_sources(inputs.zeros(), network, layer);
    return {std::move(problem), std::move(report)};
}

}  // namespace tilewright::cli
