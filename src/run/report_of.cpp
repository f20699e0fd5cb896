#include "run/report_of.hpp"

namespace tilewright {
namespace {

report::SearchStatistics statistics_of(const SearchSummary& search) {
    report::SearchStatistics statistics;
    statistics.evaluations = search.evaluations;
    statistics.valid = search.valid;
    statistics.stopped_by = search.stopped_by;
    statistics.space = search.space;
    statistics.lower_bound = search.lower_bound;
    statistics.proven = search.proven;
    statistics.claim = search.claim;
    statistics.sampled = search.sampled;
    return statistics;
}

}  // namespace

report::LayerResult layer_result(const ShapeProblem& shape, const LayerAnswer& answer) {
    report::LayerResult result;
    result.names = shape.names;
    result.op = shape.op;
    result.repeats = shape.repeats;
    result.einsum = answer.einsum;
    result.unpadded = answer.unpadded;
    result.mapping = answer.mapping;
    result.evaluation = answer.evaluation;
    for (const FrontAnswer& point : answer.front)
        result.front.push_back({point.mapping, point.energy_pj, point.cycles, point.padded});
    result.failures = answer.failures;
    if (answer.search) result.search = statistics_of(*answer.search);
    return result;
}

report::Report report_of(const Network& network, const Architecture& architecture, const NetworkProblem& problem,
                         const NetworkAnswer& answer) {
    report::Report report;
    report.architecture = architecture;
    report.network = network.name;
    report.unmapped = network.unmapped;
    for (std::size_t i = 0; i < problem.shapes.size(); ++i)
        report.layers.push_back(layer_result(problem.shapes[i], answer.layers[i]));
    report.interrupted = answer.interrupted;
    return report;
}

}  // namespace tilewright
