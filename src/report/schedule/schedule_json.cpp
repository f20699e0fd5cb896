#include "report/json_parts.hpp"
#include "report/schedule/schedule.hpp"

namespace tilewright::report {
namespace {

using schedule::Found;

Json operand_json(const Found& found, schedule::Operand operand) {
    std::int64_t loaded = 0;
    std::int64_t written = 0;
    std::int64_t loads = 0;
    for (const schedule::Transfer& one : found.schedule.transfers) {
        if (one.operand != operand) continue;
        const bool load = one.kind == schedule::TransferKind::load;
        (load ? loaded : written) += one.bytes;
        loads += load ? 1 : 0;
    }
    Json json;
    json["loaded_bytes"] = loaded;
    json["written_bytes"] = written;
    json["loads"] = loads;
    return json;
}

Json found_json(const Found& found) {
    Json json;
    json["how"] = found.how;
    for (std::size_t d = 0; d < schedule::kDims; ++d)
        json["tiling"][schedule::kDimNames[d]] = found.problem.tiling.value[d];
    json["operations"] = found.schedule.executions.size();
    json["latency_cycles"] = found.schedule.latency_cycles;
    json["traffic_bytes"] = found.schedule.traffic_bytes;
    json["objective"] = found.score.value;
    for (std::size_t i = 0; i < schedule::kOperands; ++i)
        json["operands"][schedule::kOperandNames[i]] = operand_json(found, static_cast<schedule::Operand>(i));
    json["bounds_of_this_tiling"] = {{"latency_cycles", found.bounds.latency_cycles},
                                     {"compute_cycles", found.bounds.compute_cycles},
                                     {"traffic_bytes", found.bounds.traffic_bytes},
                                     {"distinct_bytes", found.bounds.distinct_bytes},
                                     {"reuse_bytes", found.bounds.reuse_bytes}};
    return json;
}

Json score_json(const std::optional<schedule::Score>& score) {
    if (!score) return nullptr;
    return {{"latency_cycles", score->latency_cycles}, {"traffic_bytes", score->traffic_bytes}};
}

Json tiling_json(const schedule::TilingResult& one) {
    Json json;
    for (std::size_t d = 0; d < schedule::kDims; ++d) json["tiling"][schedule::kDimNames[d]] = one.tiling.value[d];
    json["operations"] = one.operations;
    json["static"] = score_json(one.fixed);
    json["list_scheduler"] = score_json(one.listed);
    json["bounds"] = {{"latency_cycles", one.bounds.latency_cycles}, {"traffic_bytes", one.bounds.traffic_bytes}};
    return json;
}

Json layer_json(const ScheduledLayer& one) {
    const schedule::LayerAnswer& answer = one.answer;
    Json json;
    json["names"] = one.names;
    json["repeats"] = one.repeats;
    const schedule::Kept& kept = one.layer.kept;
    if (!(kept == schedule::Kept{}))
        json["kept"] = {{"input", kept.input},
                        {"output", kept.output},
                        {"below_bytes", kept.below_bytes},
                        {"above_bytes", kept.above_bytes}};
    json["schedule"] = answer.best ? found_json(*answer.best) : Json(nullptr);
    json["baseline"] = answer.baseline ? found_json(*answer.baseline) : Json(nullptr);
    json["list_scheduler"] = answer.published ? found_json(*answer.published) : Json(nullptr);
    json["bounds"] = {{"latency_cycles", answer.bounds.latency_cycles},
                      {"traffic_bytes", answer.bounds.traffic_bytes},
                      {"objective", answer.bounds.value}};
    json["static_search"] = {{"tilings", answer.static_effort.tilings},
                             {"tilings_tried", answer.static_effort.tilings_tried},
                             {"plans", answer.static_effort.plans},
                             {"plans_simulated", answer.static_effort.plans_simulated}};
    json["dynamic_search"] = {{"tilings", answer.dynamic_effort.tilings},
                              {"schedules", answer.dynamic_effort.schedules},
                              {"data_flow_ratio", answer.dynamic_effort.data_flow_ratio},
                              {"tilings_left", answer.dynamic_effort.tilings_left},
                              {"gain_left_at_most", gain_left(answer)}};
    if (answer.flexer_effort) {
        const schedule::FlexerEffort& effort = *answer.flexer_effort;
        json["flexer_search"] = {{"tilings", effort.tilings},     {"ruled_out", effort.ruled_out},
                                 {"schedules", effort.schedules}, {"given_up", effort.given_up},
                                 {"alike", effort.alike},         {"tilings_left", effort.tilings_left}};
    }
    for (const schedule::TilingResult& tiling : one.tilings) json["tilings"].push_back(tiling_json(tiling));
    return json;
}

Json totals_json(const ScheduleReport& report) {
    const ScheduleTotals sum = totals(report);
    return {{"latency_cycles", sum.latency_cycles},
            {"traffic_bytes", sum.traffic_bytes},
            {"baseline_latency_cycles", sum.baseline_latency_cycles},
            {"baseline_traffic_bytes", sum.baseline_traffic_bytes},
            {"latency_bound_cycles", sum.latency_bound_cycles},
            {"traffic_bound_bytes", sum.traffic_bound_bytes},
            {"layers_without_schedule", sum.missing}};
}

Json staying_json(const StayingOutputs& staying) {
    const auto cost = [](const schedule::LayerCost& one) {
        return Json{{"latency_cycles", one.latency_cycles}, {"traffic_bytes", one.traffic_bytes}};
    };
    Json json;
    json["tensors"] = Json::array();
    for (const schedule::StayingTensor& one : staying.tensors) {
        Json readers = Json::array();
        for (const int reader : one.readers) readers.push_back(staying.order[static_cast<std::size_t>(reader)].name);
        json["tensors"].push_back({{"made_by", staying.order[static_cast<std::size_t>(one.step)].name},
                                   {"read_by", readers},
                                   {"address", one.address},
                                   {"bytes", one.bytes}});
    }
    json["might_stay"] = staying.might_stay;
    json["if_none_did"] = cost(staying.alone);
    json["bounds_whatever_stays"] = cost(staying.bound);
    return json;
}

Json provenance_json(const Provenance& provenance) {
    Json json;
    json["tool"] = {{"name", "tilewright"}, {"version", provenance.tool_version}};
    json["command"] = provenance.command;
    json["inputs"] = Json::array();
    for (const Input& input : provenance.inputs) json["inputs"].push_back({{"name", input.name}, {"xxh3", input.xxh3}});
    json["options"] = Json::object();
    for (const auto& [name, value] : provenance.options) json["options"][name] = value;
    return json;
}

}  // namespace

std::string schedule_json(const ScheduleReport& report) {
    Json json;
    json["schema"] = "tilewright-schedule-report/1";
    json["provenance"] = provenance_json(report.provenance);
    json["machine"] = {{"name", report.machine.name},
                       {"cores", report.machine.cores},
                       {"scratchpad_bytes", report.machine.scratchpad_bytes},
                       {"dma_channels", report.machine.dma_channels},
                       {"bytes_per_cycle", report.machine.bytes_per_cycle},
                       {"partial_sum_bytes", report.machine.element_bytes.partial_sum}};
    if (report.machine.mapped.given()) json["machine"]["core"] = report.machine.mapped.core();
    json["network"] = report.network;
    json["rule"] = schedule::kLatencyRuleNames[static_cast<std::size_t>(report.rule)];
    json["objective"] = to_text(report.objective);
    json["interrupted"] = report.interrupted;
    json["layers"] = Json::array();
    for (const ScheduledLayer& layer : report.layers) json["layers"].push_back(layer_json(layer));
    json["totals"] = totals_json(report);
    if (report.staying) json["staying"] = staying_json(*report.staying);
    json["elementwise"] = {{"counted", report.with_elementwise}, {"operators", Json::array()}};
    for (const StreamedLayer& one : report.streamed)
        json["elementwise"]["operators"].push_back({{"name", one.name},
                                                    {"op", one.op},
                                                    {"read_bytes", one.read_bytes},
                                                    {"written_bytes", one.written_bytes},
                                                    {"latency_cycles", one.latency_cycles}});
    json["left_out"] = Json::array();
    for (const UnmappedOperator& one : report.left_out)
        json["left_out"].push_back({{"name", one.name}, {"op", one.op}, {"reason", one.reason}});
    json["notes"] = report.notes;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
