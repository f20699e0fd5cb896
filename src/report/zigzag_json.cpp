#include "report/json_parts.hpp"
#include "report/zigzag.hpp"
#include "zigzag/forms/uneven_text.hpp"

namespace tilewright::report {
namespace {

using zigzag::Accelerator;
using zigzag::Layer;
using zigzag::LevelCost;
using zigzag::Result;

template <class Values>
Json json_of(const zigzag::PerDirection<Values>& values) {
    Json json;
    for (int d = 0; d < zigzag::kDirections; ++d) {
        const auto direction = static_cast<zigzag::Direction>(d);
        json[std::string(zigzag::long_name_of(direction))] = values[direction];
    }
    return json;
}

Json json_of(const LevelCost& level, const Accelerator& accelerator) {
    Json json;
    json["memory"] = accelerator.memories[level.memory].name;
    json["word_accesses"] = json_of(level.words);
    json["energy_pj"] = level.energy_pj;
    json["energy_pj_by_direction"] = json_of(level.energy_pj_by_direction);
    json["utilization"] = {{"individual", level.utilization},
                           {"shared", level.shared_utilization},
                           {"effective_individual", level.effective_utilization},
                           {"effective_shared", level.effective_shared_utilization}};
    json["double_buffered"] = level.double_buffered;
    return json;
}

Json json_of(const zigzag::PortCost& port, const Accelerator& accelerator, const Layer& layer) {
    const zigzag::SharedMemory& memory = accelerator.memories[port.memory];
    Json json{{"memory", memory.name}, {"port", memory.ports[port.port].name}, {"stall_cycles", port.stall_cycles}};
    json["transfers"] = Json::array();
    for (const zigzag::PortActivity& activity : port.activities)
        json["transfers"].push_back({{"operand", layer.operands[activity.operand].name},
                                     {"level", activity.level},
                                     {"direction", zigzag::long_name_of(activity.direction)},
                                     {"needed_cycles", activity.transfer.real_cycles},
                                     {"allowed_cycles", activity.transfer.allowed_cycles},
                                     {"period_cycles", activity.transfer.period_cycles},
                                     {"count", activity.transfer.count}});
    return json;
}

Json json_of(const zigzag::Latency& latency) {
    return {{"ideal_cycles", latency.ideal_cycles},
            {"ideal_temporal_cycles", latency.ideal_temporal_cycles},
            {"spatial_stall_cycles", latency.spatial_stall_cycles()},
            {"temporal_stall_cycles", latency.stall_cycles},
            {"onloading_cycles", latency.onloading_cycles},
            {"offloading_cycles", latency.offloading_cycles},
            {"total_cycles", latency.total()},
            {"utilization", latency.utilization(latency.total())}};
}

Json json_of(const Result& result, const Accelerator& accelerator, const Layer& layer) {
    Json json;
    json["energy_pj"] = result.energy_pj();
    json["mac_energy_pj"] = result.mac_energy_pj;
    json["memory_energy_pj"] = result.memory_energy_pj;
    json["latency"] = json_of(result.latency);
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
        Json& levels = json["operands"][layer.operands[i].name] = Json::array();
        for (const LevelCost& level : result.levels[i]) levels.push_back(json_of(level, accelerator));
    }
    json["ports"] = Json::array();
    for (const zigzag::PortCost& port : result.ports) json["ports"].push_back(json_of(port, accelerator, layer));
    return json;
}

Json json_of(const zigzag::ArrayUnrolling& unrolling, const Accelerator& accelerator, const Layer& layer) {
    Json json = Json::object();
    for (std::size_t a = 0; a < unrolling.size(); ++a) {
        Json& row = json[accelerator.array[a].name] = Json::object();
        for (const zigzag::Unrolling& one : unrolling[a]) row[layer.dimensions[one.dimension].name] = one.factor;
    }
    return json;
}

Json json_of(const zigzag::UnevenMapping& mapping, const Layer& layer) {
    Json json;
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
        Json& levels = json[layer.operands[i].name] = Json::array();
        for (const zigzag::LevelLoops& loops : mapping.operands[i]) {
            Json& level = levels.emplace_back(Json::array());
            for (const zigzag::TemporalLoop& loop : loops)
                level.push_back({layer.dimensions[loop.dimension].name, loop.size});
        }
    }
    return json;
}

Json json_of(const ZigzagLayer& one, const Accelerator& accelerator) {
    Json json;
    json["name"] = one.layer.name;
    json["operator"] = one.layer.operator_type;
    for (const Dimension& dimension : one.layer.dimensions) json["dimensions"][dimension.name] = dimension.extent;
    json["operations"] = one.layer.operations;
    json["spatial_mapping"] = json_of(one.unrolling, accelerator, one.layer);
    json["status"] = one.result ? "evaluated" : "no_mapping";
    if (!one.result) json["failures"] = placed_failures(one);
    if (one.mapping) json["temporal_mapping"] = json_of(*one.mapping, one.layer);
    if (one.result) json["evaluation"] = json_of(*one.result, accelerator, one.layer);
    if (one.search)
        json["search"] = {{"evaluations", one.search->evaluations},
                          {"valid", one.search->valid},
                          {"stopped_by", one.search->stopped_by},
                          {"proven", one.search->proven}};
    return json;
}

}  // namespace

std::string zigzag_json(const ZigzagReport& report) {
    Json json;
    json["schema"] = "tilewright-zigzag/1";
    json["tool"] = {{"name", "tilewright"}, {"version", report.provenance.tool_version}};
    json["provenance"] = json_of(report.provenance);
    json["interrupted"] = report.interrupted;
    json["notes"] = report.notes;
    json["accelerator"] = {{"name", report.accelerator.name}, {"units", report.accelerator.units}};
    json["network"] = report.network;
    json["layers"] = Json::array();
    for (const ZigzagLayer& one : report.layers) json["layers"].push_back(json_of(one, report.accelerator));
    return dumped(json);
}

}  // namespace tilewright::report
