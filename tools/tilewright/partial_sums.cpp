#include "partial_sums.hpp"

#include <algorithm>

#include "options.hpp"
#include "run/report_of.hpp"
#include "search_layers.hpp"

namespace tilewright::cli {
namespace {

struct Shape {
    Einsum einsum;  ///< with final widths
    PartialBits bits;
};

// What the layers of a shape share; layers of other widths may look the same to the search.
Shape shape_of(const ShapeProblem& shape, const Network& network, const std::vector<PartialBits>& partial) {
    const auto index = [&](const std::string& name) {
        return static_cast<std::size_t>(std::ranges::find(network.layers, name, &Layer::name) - network.layers.begin());
    };
    const std::size_t first = index(shape.names.front());
    for (const std::string& name : shape.names) {
        const std::size_t other = index(name);
        if (partial[other] == partial[first] &&
            network.layers[other].einsum.tensors == network.layers[first].einsum.tensors)
            continue;
        fail_usage("map", "--bits: '" + shape.names.front() + "' and '" + name +
                              "' have one shape and partial sums of different widths: map them apart (--layers)");
    }
    return {network.layers[first].einsum, partial[first]};
}

}  // namespace

void check_for_partial_sums(const MapOptions& options) {
    if (options.objective.kind == ObjectiveKind::pareto)
        fail_usage("map", "--bits with two widths maps for one objective: not --objective pareto");
    if (options.factors != FactorRule::perfect)
        fail_usage("map", "--bits with two widths maps with perfect factors: without --factors");
}

report::Report map_partial_sums(const Network& network, const Architecture& architecture,
                                const std::vector<PartialBits>& partial, const ConstraintsOf& constraints,
                                const MapOptions& options, AnswerCache& cache, bool quiet) {
    Network wide_network = network;
    for (std::size_t i = 0; i < partial.size(); ++i)
        wide_network.layers[i].einsum = with_partial_width(network.layers[i].einsum, partial[i]);
    const NetworkProblem wide = network_problem(wide_network, architecture, constraints);
    NetworkProblem narrow = wide;
    std::vector<Shape> shapes;
    for (ShapeProblem& shape : narrow.shapes) {
        shapes.push_back(shape_of(shape, network, partial));
        shape.layer.einsum = shapes.back().einsum;
    }
    const NetworkAnswer of_wide = search_layers(wide, options, cache, quiet);
    const NetworkAnswer of_narrow = search_layers(narrow, options, cache, quiet);
    report::Report report = report_of(network, architecture, wide, of_wide);
    for (std::size_t i = 0; i < shapes.size(); ++i)
        settle_partial_sums(of_wide.layers[i], of_narrow.layers[i], narrow.shapes[i].layer, shapes[i].bits,
                            options.objective, report.layers[i]);
    report.interrupted = of_wide.interrupted || of_narrow.interrupted;
    return report;
}

}  // namespace tilewright::cli
