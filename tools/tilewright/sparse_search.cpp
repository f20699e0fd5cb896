#include "sparse_search.hpp"

#include "interrupt.hpp"
#include "run/sparse/map_sparse.hpp"

namespace tilewright::cli {

report::Report map_sparse_layers(Inputs& inputs, const Network& network, const Architecture& architecture,
                                 const MapOptions& options) {
    if (const std::string problem = problem_with_sparse(options); !problem.empty()) fail_usage("map", problem);
    const SparseNetwork problem = sparse_network(
        network, architecture, [&](const Einsum& einsum) { return inputs.constraints(architecture, einsum); },
        [&](const Layer& layer) { return inputs.sparse_design(layer, architecture).value(); });
    StopSource stop;
    const Interrupt interrupt(stop);
    return map_sparse(network, architecture, problem, options, &stop);
}

}  // namespace tilewright::cli
