#include "run/report_of.hpp"

#include <fmt/format.h>

#include "mapper/by_name/by_name.hpp"
#include "mapper/mapper.hpp"

namespace tilewright {

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

std::vector<std::pair<std::string, std::string>> provenance_options(const MapOptions& options,
                                                                    const std::string& objective,
                                                                    const std::string& factors) {
    const std::string mapper(name_of(intended_mapper(options)));
    std::vector<std::pair<std::string, std::string>> list{{"mapper", mapper}, {"objective", objective}};
    if (options.uneven) list.emplace_back("uneven", "true");
    if (!factors.empty()) list.emplace_back("factors", factors);
    list.emplace_back("victory", std::to_string(options.victory.value_or(make_mapper(mapper)->default_victory())));
    if (options.streams) list.emplace_back("streams", std::to_string(*options.streams));
    if (options.timeout) list.emplace_back("timeout", std::to_string(*options.timeout));
    if (options.evaluations) list.emplace_back("evaluations", std::to_string(*options.evaluations));
    if (options.time_limit_seconds)
        list.emplace_back("time_limit_seconds", fmt::format("{}", *options.time_limit_seconds));
    return list;
}

}  // namespace tilewright
