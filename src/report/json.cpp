#include "report/json.hpp"

#include "report/document.hpp"
#include "report/fields.hpp"

namespace tilewright::report {
namespace {

document::ShownNetwork shown(const Network& network) {
    document::ShownNetwork out{network.name, {}, network.unmapped};
    for (const Layer& layer : network.layers)
        out.layers.push_back(
            {layer.name, layer.op, layer.repeats, operation_count(layer.einsum), document::einsum_of(layer.einsum)});
    return out;
}

}  // namespace

std::string report_json(const Report& report) { return dumped(yaml::place_of(document::document_of(report))); }

std::string comparison_json(const Report& report, const std::vector<std::pair<std::string, Evaluation>>& evaluations) {
    const LayerResult& layer = report.layers.front();
    document::Comparison out{report.provenance,
                             report.notes,
                             document::machine_of(report.architecture),
                             document::einsum_of(layer.einsum),
                             {},
                             {}};
    if (layer.mapping) out.mapping = document::nest_of(*layer.mapping, layer.einsum, report.architecture);
    for (const auto& [name, evaluation] : evaluations)
        out.evaluations.emplace_back(name, document::costs_of(evaluation, layer.einsum));
    return dumped(yaml::place_of(out));
}

std::string show_json(const Architecture* architecture, const Network* network) {
    document::Shown out;
    if (architecture != nullptr) out.architecture = document::machine_of(*architecture);
    if (network != nullptr) out.network = shown(*network);
    return dumped(yaml::place_of(out));
}

std::string check_json(const std::vector<std::string>& sound, const std::vector<CheckProblem>& problems) {
    return dumped(yaml::place_of(document::Checked{sound, problems}));
}

}  // namespace tilewright::report
