#include <cmath>

#include "report/accelforge/accelforge_report.hpp"
#include "report/json_parts.hpp"

namespace tilewright::report {
namespace {

Json named_json(const std::vector<accelforge::NamedFigure>& figures) {
    Json json = Json::object();
    for (const accelforge::NamedFigure& one : figures) json[one.name] = one.value;
    return json;
}

Json einsum_json(const accelforge::EinsumCosts& one) {
    Json json{{"name", one.einsum}, {"energy_j", one.energy_j}, {"latency_s", one.latency_s}};
    json["actions"] = Json::array();
    for (const accelforge::ActionCount& action : one.actions)
        json["actions"].push_back({{"component", action.component},
                                   {"tensor", action.tensor.empty() ? Json(nullptr) : Json(action.tensor)},
                                   {"action", action.action},
                                   {"count", action.count},
                                   {"energy_j", action.energy_j}});
    json["leak_j"] = named_json(one.leak_j);
    json["seconds"] = named_json(one.seconds);
    return json;
}

}  // namespace

std::string accelforge_json(const AccelforgeReport& report) {
    Json json = document("tilewright-accelforge/1", report.provenance);
    json["machine"] = report.machine;
    json["workload"] = report.workload;
    json["totals"] = {{"energy_j", report.costs.energy_j}, {"latency_s", report.costs.latency_s}};
    json["memories"] = Json::array();
    for (const accelforge::MemoryUse& use : report.costs.memories)
        json["memories"].push_back({{"name", use.memory},
                                    {"peak_bits", use.bits},
                                    {"size_bits", std::isinf(use.size_bits) ? Json(nullptr) : Json(use.size_bits)}});
    json["einsums"] = Json::array();
    for (const accelforge::EinsumCosts& one : report.costs.einsums) json["einsums"].push_back(einsum_json(one));
    json["notes"] = report.notes;
    return dumped(json);
}

}  // namespace tilewright::report
