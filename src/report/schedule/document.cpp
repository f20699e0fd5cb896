#include "report/schedule/document.hpp"

#include "report/fields.hpp"

namespace tilewright::schedule {

void fields(yaml::Archive& archive, LayerCost& cost) {
    archive("latency_cycles", cost.latency_cycles);
    archive("traffic_bytes", cost.traffic_bytes);
}

void fields(yaml::Archive& archive, LayerBounds& bounds) {
    archive("latency_cycles", bounds.latency_cycles);
    archive("traffic_bytes", bounds.traffic_bytes);
    archive("objective", bounds.value);
}

void fields(yaml::Archive& archive, StaticEffort& effort) {
    archive("tilings", effort.tilings);
    archive("tilings_tried", effort.tilings_tried, "the others are ruled out by bounds");
    archive("plans", effort.plans);
    archive("plans_simulated", effort.plans_simulated);
}

void fields(yaml::Archive& archive, FlexerEffort& effort) {
    archive("tilings", effort.tilings);
    archive("ruled_out", effort.ruled_out, "tilings, by their bound");
    archive("schedules", effort.schedules, "made to the end");
    archive("given_up", effort.given_up, "on the way, because they could not be the best any more");
    archive("alike", effort.alike, "not made: the same to the scheduler as one before");
    archive("tilings_left", effort.tilings_left, "when it was stopped");
}

}  // namespace tilewright::schedule

namespace tilewright::report {

void fields(yaml::Archive& archive, ScheduleTotals& totals) {
    archive("latency_cycles", totals.latency_cycles);
    archive("traffic_bytes", totals.traffic_bytes);
    archive("baseline_latency_cycles", totals.baseline_latency_cycles);
    archive("baseline_traffic_bytes", totals.baseline_traffic_bytes);
    archive("latency_bound_cycles", totals.latency_bound_cycles);
    archive("traffic_bound_bytes", totals.traffic_bound_bytes);
    archive.derived("layers_without_schedule", std::int64_t{totals.missing});
}

void fields(yaml::Archive& archive, StreamedLayer& layer) {
    archive("name", layer.name);
    archive("op", layer.op);
    archive("read_bytes", layer.read_bytes);
    archive("written_bytes", layer.written_bytes);
    archive("latency_cycles", layer.latency_cycles);
}

}  // namespace tilewright::report

namespace tilewright::document {

void fields(yaml::Archive& archive, OperandTraffic& traffic) {
    archive.name("Operand");
    archive("loaded_bytes", traffic.loaded_bytes);
    archive("written_bytes", traffic.written_bytes);
    archive("loads", traffic.loads, "transfers into the scratchpad");
}

template <typename Tiling>
void list_tiling(yaml::Archive& archive, Tiling& tiling) {
    archive.group(
        "tiling",
        [&](auto& sizes) {
            for (std::size_t d = 0; d < schedule::kDims; ++d)
                sizes(schedule::kDimNames[d], yaml::Positive{tiling.value[d]});
        },
        "tile sizes: output columns and rows, input and output channels");
}

void fields(yaml::Archive& archive, FoundSchedule& found) {
    archive.name("Found");
    archive.also("how", found.how, "who made it, and with what");
    list_tiling(archive, found.tiling);
    archive.also("operations", found.operations);
    archive("latency_cycles", found.score.latency_cycles);
    archive("traffic_bytes", found.score.traffic_bytes);
    archive.also("objective", found.score.value, "its value; smaller is better");
    archive.group("operands", [&](auto& operands) {
        for (std::size_t i = 0; i < schedule::kOperands; ++i) operands(schedule::kOperandNames[i], found.operands[i]);
    });
    archive.group(
        "bounds_of_this_tiling",
        [&](auto& bounds) {
            bounds("latency_cycles", found.bounds.latency_cycles);
            bounds("compute_cycles", found.bounds.compute_cycles);
            bounds("traffic_bytes", found.bounds.traffic_bytes);
            bounds("distinct_bytes", found.bounds.distinct_bytes, "every tile moved once");
            bounds("reuse_bytes", found.bounds.reuse_bytes, "by what the scratchpad can hold");
        },
        "no schedule of these tile sizes has less");
}

void fields(yaml::Archive& archive, TilingCosts& costs) {
    list_tiling(archive, costs.tiling);
    archive.also("operations", costs.operations);
    archive("static", costs.fixed);
    archive("list_scheduler", costs.listed);
    archive.also("bounds", costs.bounds);
}

template <typename Layer>
void list_efforts(yaml::Archive& archive, Layer& layer) {
    archive.also("static_search", layer.static_effort);
    archive.group("dynamic_search", [&](auto& search) {
        search("tilings", layer.dynamic_effort.tilings);
        search("schedules", layer.dynamic_effort.schedules);
        search("data_flow_ratio", layer.dynamic_effort.data_flow_ratio,
               "worst over best result of the list scheduler's data flows");
        search("tilings_left", layer.dynamic_effort.tilings_left,
               "that no bound rules out, and on which not all schedulers were run");
        search("gain_left_at_most", layer.gain_left, "how many times better the objective could be on those");
    });
    archive.where_any("flexer_search", layer.flexer_effort, "what Flexer's Algorithm 1 did, where it was run");
}

void fields(yaml::Archive& archive, KeptTensors& kept) {
    archive("input", kept.of.input, "the whole input lies in the scratchpad and is not loaded");
    archive("output", kept.of.output, "the output stays there and is not stored");
    archive("below_bytes", kept.of.below_bytes, "of tensors from address 0 on");
    archive("above_bytes", kept.of.above_bytes, "of tensors up to the end of the scratchpad");
}

void fields(yaml::Archive& archive, ScheduledLayer& layer) {
    archive.name("Layer",
                 "one layer shape; 'schedule' is the best found, 'baseline' the best static loop order, "
                 "'list_scheduler' Flexer's alone");
    archive("names", layer.names, "of the layers of this shape, in network order");
    archive.also("repeats", yaml::Positive{layer.repeats}, "over layers, images and groups");
    archive.where_any("kept", layer.kept,
                      "tensors that stay in the scratchpad beside the layer's own tiles; absent: none");
    archive("schedule", layer.best);
    archive("baseline", layer.baseline);
    archive.also("list_scheduler", layer.published);
    archive("bounds", layer.bounds, "no schedule of any tile sizes has less");
    list_efforts(archive, layer);
    archive.where_any("tilings", layer.tilings,
                      "what every tiling comes to by itself, where --every-tiling asked for it; null: not tried, for "
                      "its many operations");
}

void fields(yaml::Archive& archive, StayingOutput& output) {
    archive("made_by", output.made_by);
    archive("read_by", output.read_by);
    archive("address", output.address);
    archive("bytes", output.bytes);
}

void fields(yaml::Archive& archive, Staying& staying) {
    archive("tensors", staying.tensors);
    archive("might_stay", staying.might_stay, "outputs that only layers of the report read, whole");
    archive("if_none_did", staying.alone, "of the best schedules of the layers by themselves");
    archive("bounds_whatever_stays", staying.bound, "each by itself");
}

void fields(yaml::Archive& archive, LeftOut& left) {
    archive("name", left.of.name);
    archive("op", left.of.op);
    archive("reason", left.of.reason);
}

void fields(yaml::Archive& archive, ReadInput& input) {
    archive("name", input.of.name);
    archive("xxh3", input.of.xxh3, "XXH3-128 of its bytes");
}

void list_head(yaml::Archive& archive, ScheduleReport& report) {
    archive.constant("schema", "tilewright-schedule-report/1");
    archive.group("provenance", [&](auto& provenance) {
        provenance.group("tool", [&](auto& tool) {
            tool.constant("name", "tilewright");
            tool("version", report.tool_version);
        });
        provenance("command", report.command);
        provenance("inputs", report.inputs);
        provenance("options", report.options);
    });
    archive.group("machine", [&](auto& machine) {
        machine("name", report.machine.name);
        machine("cores", report.machine.cores);
        machine("scratchpad_bytes", report.machine.scratchpad_bytes);
        machine("dma_channels", report.machine.dma_channels);
        machine("bytes_per_cycle", report.machine.bytes_per_cycle, "of one channel");
        machine("partial_sum_bytes", report.machine.element_bytes.partial_sum);
        machine.where_any("core", report.core,
                          "the machine that tiles of operations are mapped on, and hashes of what it was read from");
    });
}

yaml::Choice<schedule::LatencyRule> rule_choice(schedule::LatencyRule& rule) {
    yaml::Choice<schedule::LatencyRule> choice{rule, {}};
    for (std::size_t i = 0; i < schedule::kLatencyRuleNames.size(); ++i)
        choice.names.emplace_back(static_cast<schedule::LatencyRule>(i), schedule::kLatencyRuleNames[i]);
    return choice;
}

void fields(yaml::Archive& archive, ScheduleReport& report) {
    list_head(archive, report);
    archive("network", report.network);
    archive("rule", rule_choice(report.rule), "when transfers may run");
    archive("objective", report.objective, "latency, traffic, or a product of them");
    archive.also("interrupted", report.interrupted, "every result is the best so far");
    archive("layers", report.layers);
    archive.also("totals", report.totals, "sums over the layers that have a schedule, each as often as it runs");
    archive.where_any("staying", report.staying,
                      "which outputs stay in the scratchpad for the layers that read them; where --keep-outputs asked "
                      "for it");
    archive.group(
        "elementwise",
        [&](auto& elementwise) {
            elementwise("counted", report.with_elementwise, "whether the totals hold them (--with-elementwise)");
            elementwise("operators", report.streamed);
        },
        "pooling and element-wise layers: one read and one write of their tensors");
    archive.also("left_out", report.left_out, "operators that are not scheduled");
    archive.also("notes", report.notes);
}

}  // namespace tilewright::document

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
    return dumped(yaml::place_of(document::document_of(report)));
}

}  // namespace tilewright::report
