#include "report/schedule/document.hpp"

#include "report/json_parts.hpp"
#include "report/schedule/fields.hpp"

namespace tilewright::document {
namespace {

using schedule::Found;

OperandTraffic traffic_of(const Found& found, schedule::Operand operand) {
    OperandTraffic traffic;
    for (const schedule::Transfer& one : found.schedule.transfers) {
        if (one.operand != operand) continue;
        const bool load = one.kind == schedule::TransferKind::load;
        (load ? traffic.loaded_bytes : traffic.written_bytes) += one.bytes;
        traffic.loads += load ? 1 : 0;
    }
    return traffic;
}

std::optional<FoundSchedule> schedule_of(const std::optional<Found>& found) {
    if (!found) return std::nullopt;
    FoundSchedule out{
        found->how, found->problem.tiling, static_cast<std::int64_t>(found->schedule.executions.size()), {},
        {},         found->bounds};
    out.score = {found->score.value, found->schedule.latency_cycles, found->schedule.traffic_bytes};
    for (std::size_t i = 0; i < schedule::kOperands; ++i)
        out.operands[i] = traffic_of(*found, static_cast<schedule::Operand>(i));
    return out;
}

std::optional<schedule::LayerCost> cost_of(const std::optional<schedule::Score>& score) {
    if (!score) return std::nullopt;
    return schedule::LayerCost{score->latency_cycles, score->traffic_bytes};
}

ScheduledLayer layer_of(const report::ScheduledLayer& one) {
    const schedule::LayerAnswer& answer = one.answer;
    ScheduledLayer layer;
    layer.names = one.names;
    layer.repeats = one.repeats;
    if (!(one.layer.kept == schedule::Kept{})) layer.kept = KeptTensors{one.layer.kept};
    layer.best = schedule_of(answer.best);
    layer.baseline = schedule_of(answer.baseline);
    layer.published = schedule_of(answer.published);
    layer.bounds = answer.bounds;
    layer.static_effort = answer.static_effort;
    layer.dynamic_effort = answer.dynamic_effort;
    layer.gain_left = report::gain_left(answer);
    layer.flexer_effort = answer.flexer_effort;
    for (const schedule::TilingResult& tiling : one.tilings)
        layer.tilings.push_back({tiling.tiling,
                                 tiling.operations,
                                 cost_of(tiling.fixed),
                                 cost_of(tiling.listed),
                                 {tiling.bounds.latency_cycles, tiling.bounds.traffic_bytes}});
    return layer;
}

Staying staying_of(const report::StayingOutputs& staying) {
    const auto name_of = [&](int step) { return staying.order[step].name; };
    Staying out{{}, staying.might_stay, staying.alone, staying.bound};
    for (const schedule::StayingTensor& one : staying.tensors) {
        StayingOutput& output = out.tensors.emplace_back(StayingOutput{name_of(one.step), {}, one.address, one.bytes});
        for (const int reader : one.readers) output.read_by.push_back(name_of(reader));
    }
    return out;
}

}  // namespace

ScheduleReport document_of(const report::ScheduleReport& report) {
    ScheduleReport out;
    out.tool_version = report.provenance.tool_version;
    out.command = report.provenance.command;
    for (const report::Input& input : report.provenance.inputs) out.inputs.push_back({input});
    out.options = report.provenance.options;
    out.machine = report.machine;
    if (report.machine.mapped.given()) out.core = report.machine.mapped.core();
    out.network = report.network;
    out.rule = report.rule;
    out.objective = to_text(report.objective);
    out.interrupted = report.interrupted;
    for (const report::ScheduledLayer& layer : report.layers) out.layers.push_back(layer_of(layer));
    out.totals = totals(report);
    if (report.staying) out.staying = staying_of(*report.staying);
    out.with_elementwise = report.with_elementwise;
    out.streamed = report.streamed;
    for (const UnmappedOperator& one : report.left_out) out.left_out.push_back({one});
    out.notes = report.notes;
    return out;
}

}  // namespace tilewright::document

namespace tilewright::report {

std::string schedule_json(const ScheduleReport& report) {
    return dumped(yaml::Writer::write(document::document_of(report)));
}

}  // namespace tilewright::report
