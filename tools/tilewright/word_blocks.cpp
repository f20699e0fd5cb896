#include "word_blocks.hpp"

#include <algorithm>

#include "options.hpp"
#include "run/report_of.hpp"
#include "search_layers.hpp"

namespace tilewright::cli {

void check_for_blocks(const MapOptions& options) {
    if (options.objective.kind == ObjectiveKind::pareto)
        fail_usage("map", "--bits with blocks of words maps for one objective: not --objective pareto");
    if (options.factors == FactorRule::padded)
        fail_usage("map", "--bits with blocks of words maps layers as they are: not --factors padded");
}

report::Report map_in_blocks(const Network& network, const Architecture& architecture, const BlockSearch& blocks,
                             const MapOptions& options, AnswerCache& cache, bool quiet) {
    const NetworkAnswer answer = map_blocks(blocks, options.objective, [&](const NetworkProblem& problem) {
        return search_layers(problem, options, cache, quiet);
    });
    return report_of(network, architecture, blocks.problem, answer);
}

report::Report searched_report(const report::Report& report, const BlockSearch& blocks) {
    report::Report searched = report;
    searched.architecture = *blocks.machine;
    for (std::size_t i = 0; i < searched.layers.size(); ++i)
        searched.layers[i].einsum = blocks.searched.shapes[i].layer.einsum;
    return searched;
}

Network searched_network(const Network& network, const BlockSearch& blocks) {
    Network searched = network;
    for (const ShapeProblem& shape : blocks.searched.shapes)
        for (Layer& layer : searched.layers)
            if (std::ranges::find(shape.names, layer.name) != shape.names.end())
                layer.einsum.tensors = shape.layer.einsum.tensors;
    return searched;
}

}  // namespace tilewright::cli
