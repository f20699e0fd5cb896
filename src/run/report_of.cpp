#include "run/report_of.hpp"

#include <fmt/format.h>

#include "base/numbers/hash.hpp"
#include "base/version.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/mapper.hpp"
#include "model/sparse/sparse_model.hpp"
#include "report/json.hpp"
#include "run/machine.hpp"

namespace tilewright {

report::LayerResult layer_result(const ShapeProblem& shape, const LayerAnswer& answer) {
    report::LayerResult result;
    static_cast<LayerAnswer&>(result) = answer;
    result.partial_bits = shape.layer.words.partial_bits;
    if (const auto& zeros = shape.layer.zeros; zeros && answer.mapping)
        result.sparse = sparse::rounded(
            sparse::evaluate(answer.einsum, shape.layer.architecture, *answer.mapping, *zeros, shape.layer.words),
            answer.einsum, shape.layer.architecture, *zeros);
    result.names = shape.names;
    result.op = shape.op;
    result.repeats = shape.repeats;
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

report::Report report_of(const Network& network, const Machine& machine, const NetworkProblem& problem,
                         const NetworkAnswer& answer, const MapOptions& options) {
    report::Report report = report_of(network, machine.architecture(), problem, answer);
    report.notes = machine.notes();
    for (std::string& note : machine.notes_about(network)) report.notes.push_back(std::move(note));
    report.provenance.tool_version = version();
    report.provenance.command = "map";
    report.provenance.inputs = machine.inputs();
    report.provenance.inputs.push_back({network.name, content_hash(report::show_json(nullptr, &network))});
    report.provenance.seed = options.seed;
    report.provenance.options =
        provenance_options(options, objective_text(options.objective),
                           options.factors == FactorRule::perfect ? "" : std::string(name_of(options.factors)));
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
    if (options.layer_time_limit_seconds)
        list.emplace_back("layer_time_limit_seconds", fmt::format("{}", *options.layer_time_limit_seconds));
    return list;
}

}  // namespace tilewright
