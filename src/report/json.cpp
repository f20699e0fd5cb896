#include "report/json.hpp"

#include "report/json_parts.hpp"

namespace tilewright::report {
namespace {

Json totals_json(const Totals& sum) {
    Json json;
    json["layers"] = sum.layers;
    json["layers_without_mapping"] = sum.missing;
    json["computes"] = sum.computes;
    json["cycles"] = sum.cycles;
    json["energy_pj"] = sum.energy_pj;
    json["edp_pj_cycles"] = sum.edp_pj_cycles();
    json["utilization"] = sum.utilization;
    return json;
}

Json search_json(const SearchStatistics& search) {
    Json json{{"evaluations", search.evaluations}, {"valid", search.valid}, {"sampled", search.sampled}};
    if (search.space) json["space"] = *search.space;
    json["stopped_by"] = search.stopped_by;
    if (search.lower_bound) json["lower_bound"] = *search.lower_bound;
    json["proven"] = search.proven;
    if (!search.claim.empty()) json["claim"] = search.claim;
    return json;
}

// What was padded, and the share of the operations that compute nothing.
Json padding_json(const Einsum& own, const Einsum& padded) {
    Json json{{"dimensions", Json::object()}};
    for (int d = 0; d < padded.dimension_count(); ++d) {
        const Dimension& before = own.dimensions[d];
        const Dimension& after = padded.dimensions[d];
        if (before != after) json["dimensions"][before.name] = {{"from", before.extent}, {"to", after.extent}};
    }
    json["share"] = padding_share(own, padded);
    return json;
}

// What the layer is without padding.
const Einsum& own_einsum(const LayerResult& layer) { return layer.unpadded ? *layer.unpadded : layer.einsum; }

Json front_json(const FrontMapping& point, const LayerResult& layer, const Architecture& architecture) {
    const Einsum& own = own_einsum(layer);
    Json json{{"energy_pj", point.energy_pj},
              {"cycles", point.cycles},
              {"mapping", json_of(point.mapping, point.padded.value_or(own), architecture)}};
    if (point.padded) json["padding"] = padding_json(own, *point.padded);
    return json;
}

Json refinement_json(const Refinement& refinement, const LayerResult& layer, const Architecture& architecture) {
    Json json{{"choice", refinement.choice}, {"gain", refinement.gain}, {"candidates", Json::array()}};
    for (const RefinedCandidate& one : refinement.candidates) {
        Json candidate{{"energy_pj", one.energy_pj},
                       {"cycles", one.cycles},
                       {"simulated_cycles", one.simulated_cycles ? Json(*one.simulated_cycles) : Json(nullptr)}};
        if (!one.failure.empty()) candidate["failure"] = one.failure;
        candidate["mapping"] = json_of(one.mapping, layer.einsum, architecture);
        json["candidates"].push_back(std::move(candidate));
    }
    return json;
}

Json layer_json(const LayerResult& layer, const Architecture& architecture) {
    Json json;
    json["name"] = layer.names.front();
    json["same_shape"] = layer.names;
    json["operator"] = layer.op;
    json["repeats"] = layer.repeats;
    json["einsum"] = json_of(layer.einsum);
    if (layer.unpadded) json["padding"] = padding_json(*layer.unpadded, layer.einsum);
    json["status"] = layer.evaluation ? "evaluated" : "no_mapping";
    if (!layer.evaluation) json["failures"] = layer.failures;
    if (layer.mapping) json["mapping"] = json_of(*layer.mapping, layer.einsum, architecture);
    if (layer.evaluation) json["evaluation"] = json_of(*layer.evaluation, layer.einsum);
    for (const FrontMapping& point : layer.front) json["front"].push_back(front_json(point, layer, architecture));
    if (layer.search) json["search"] = search_json(*layer.search);
    if (layer.refinement) json["refinement"] = refinement_json(*layer.refinement, layer, architecture);
    return json;
}

Json network_json(const Network& network) {
    Json json;
    json["name"] = network.name;
    json["layers"] = Json::array();
    for (const Layer& layer : network.layers)
        json["layers"].push_back({{"name", layer.name},
                                  {"operator", layer.op},
                                  {"repeats", layer.repeats},
                                  {"computes", operation_count(layer.einsum)},
                                  {"einsum", json_of(layer.einsum)}});
    json["unmapped_operators"] = json_of(network.unmapped);
    return json;
}

}  // namespace

std::string report_json(const Report& report) {
    Json json = document("tilewright-report/2", report.provenance);
    json["interrupted"] = report.interrupted;
    json["notes"] = report.notes;
    json["architecture"] = json_of(report.architecture);
    json["network"] = {{"name", report.network}, {"unmapped_operators", json_of(report.unmapped)}};
    json["totals"] = totals_json(totals(report));
    json["layers"] = Json::array();
    for (const LayerResult& layer : report.layers) json["layers"].push_back(layer_json(layer, report.architecture));
    return dumped(json);
}

std::string comparison_json(const Report& report, const std::vector<std::pair<std::string, Evaluation>>& evaluations) {
    Json json = document("tilewright-comparison/1", report.provenance);
    const LayerResult& layer = report.layers.front();
    json["notes"] = report.notes;
    json["architecture"] = json_of(report.architecture);
    json["einsum"] = json_of(layer.einsum);
    if (layer.mapping) json["mapping"] = json_of(*layer.mapping, layer.einsum, report.architecture);
    json["evaluations"] = Json::object();
    for (const auto& [name, evaluation] : evaluations) json["evaluations"][name] = json_of(evaluation, layer.einsum);
    return dumped(json);
}

std::string show_json(const Architecture* architecture, const Network* network) {
    Json json;
    json["schema"] = "tilewright-show/1";
    if (architecture != nullptr) json["architecture"] = json_of(*architecture);
    if (network != nullptr) json["network"] = network_json(*network);
    return dumped(json);
}

std::string check_json(const std::vector<std::string>& sound, const std::vector<Problem>& problems) {
    Json json;
    json["schema"] = "tilewright-check/1";
    json["sound"] = sound;
    json["problems"] = Json::array();
    for (const Problem& problem : problems)
        json["problems"].push_back({{"code", problem.code},
                                    {"file", problem.file},
                                    {"line", problem.line},
                                    {"column", problem.column},
                                    {"message", problem.message}});
    return dumped(json);
}

}  // namespace tilewright::report
