// The fields of report.json of `tilewright schedule` (yaml/archive.hpp). Internal to report/.
#pragma once

#include "report/schedule/document.hpp"
#include "yaml/archive.hpp"

namespace tilewright::schedule {

template <typename Archive, yaml::Of<LayerCost> T>
void fields(Archive& archive, T& cost) {
    archive("latency_cycles", cost.latency_cycles);
    archive("traffic_bytes", cost.traffic_bytes);
}

template <typename Archive, yaml::Of<LayerBounds> T>
void fields(Archive& archive, T& bounds) {
    archive("latency_cycles", bounds.latency_cycles);
    archive("traffic_bytes", bounds.traffic_bytes);
    archive("objective", bounds.value);
}

template <typename Archive, yaml::Of<StaticEffort> T>
void fields(Archive& archive, T& effort) {
    archive("tilings", effort.tilings);
    archive("tilings_tried", effort.tilings_tried, "the others are ruled out by bounds");
    archive("plans", effort.plans);
    archive("plans_simulated", effort.plans_simulated);
}

template <typename Archive, yaml::Of<FlexerEffort> T>
void fields(Archive& archive, T& effort) {
    archive("tilings", effort.tilings);
    archive("ruled_out", effort.ruled_out, "tilings, by their bound");
    archive("schedules", effort.schedules, "made to the end");
    archive("given_up", effort.given_up, "on the way, because they could not be the best any more");
    archive("alike", effort.alike, "not made: the same to the scheduler as one before");
    archive("tilings_left", effort.tilings_left, "when it was stopped");
}

}  // namespace tilewright::schedule

namespace tilewright::report {

template <typename Archive, yaml::Of<ScheduleTotals> T>
void fields(Archive& archive, T& totals) {
    archive("latency_cycles", totals.latency_cycles);
    archive("traffic_bytes", totals.traffic_bytes);
    archive("baseline_latency_cycles", totals.baseline_latency_cycles);
    archive("baseline_traffic_bytes", totals.baseline_traffic_bytes);
    archive("latency_bound_cycles", totals.latency_bound_cycles);
    archive("traffic_bound_bytes", totals.traffic_bound_bytes);
    archive.derived("layers_without_schedule", std::int64_t{totals.missing});
}

template <typename Archive, yaml::Of<StreamedLayer> T>
void fields(Archive& archive, T& layer) {
    archive("name", layer.name);
    archive("op", layer.op);
    archive("read_bytes", layer.read_bytes);
    archive("written_bytes", layer.written_bytes);
    archive("latency_cycles", layer.latency_cycles);
}

}  // namespace tilewright::report

namespace tilewright::document {

template <typename Archive, yaml::Of<OperandTraffic> T>
void fields(Archive& archive, T& traffic) {
    archive.name("Operand");
    archive("loaded_bytes", traffic.loaded_bytes);
    archive("written_bytes", traffic.written_bytes);
    archive("loads", traffic.loads, "transfers into the scratchpad");
}

template <typename Archive, typename Tiling>
void list_tiling(Archive& archive, Tiling& tiling) {
    archive.group(
        "tiling",
        [&](auto& sizes) {
            for (std::size_t d = 0; d < schedule::kDims; ++d)
                sizes(schedule::kDimNames[d], yaml::Positive{tiling.value[d]});
        },
        "tile sizes: output columns and rows, input and output channels");
}

template <typename Archive, yaml::Of<FoundSchedule> T>
void fields(Archive& archive, T& found) {
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

template <typename Archive, yaml::Of<TilingCosts> T>
void fields(Archive& archive, T& costs) {
    list_tiling(archive, costs.tiling);
    archive.also("operations", costs.operations);
    archive("static", costs.fixed);
    archive("list_scheduler", costs.listed);
    archive.also("bounds", costs.bounds);
}

template <typename Archive, typename Layer>
void list_efforts(Archive& archive, Layer& layer) {
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

template <typename Archive, yaml::Of<KeptTensors> T>
void fields(Archive& archive, T& kept) {
    archive("input", kept.of.input, "the whole input lies in the scratchpad and is not loaded");
    archive("output", kept.of.output, "the output stays there and is not stored");
    archive("below_bytes", kept.of.below_bytes, "of tensors from address 0 on");
    archive("above_bytes", kept.of.above_bytes, "of tensors up to the end of the scratchpad");
}

template <typename Archive, yaml::Of<ScheduledLayer> T>
void fields(Archive& archive, T& layer) {
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

template <typename Archive, yaml::Of<StayingOutput> T>
void fields(Archive& archive, T& output) {
    archive("made_by", output.made_by);
    archive("read_by", output.read_by);
    archive("address", output.address);
    archive("bytes", output.bytes);
}

template <typename Archive, yaml::Of<Staying> T>
void fields(Archive& archive, T& staying) {
    archive("tensors", staying.tensors);
    archive("might_stay", staying.might_stay, "outputs that only layers of the report read, whole");
    archive("if_none_did", staying.alone, "of the best schedules of the layers by themselves");
    archive("bounds_whatever_stays", staying.bound, "each by itself");
}

template <typename Archive, yaml::Of<LeftOut> T>
void fields(Archive& archive, T& left) {
    archive("name", left.of.name);
    archive("op", left.of.op);
    archive("reason", left.of.reason);
}

template <typename Archive, yaml::Of<ReadInput> T>
void fields(Archive& archive, T& input) {
    archive("name", input.of.name);
    archive("xxh3", input.of.xxh3, "XXH3-128 of its bytes");
}

template <typename Archive, yaml::Of<ScheduleReport> T>
void list_head(Archive& archive, T& report) {
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

template <typename R>
yaml::Choice<R> rule_choice(R& rule) {
    yaml::Choice<R> choice{rule, {}};
    for (std::size_t i = 0; i < schedule::kLatencyRuleNames.size(); ++i)
        choice.names.emplace_back(static_cast<schedule::LatencyRule>(i), schedule::kLatencyRuleNames[i]);
    return choice;
}

template <typename Archive, yaml::Of<ScheduleReport> T>
void fields(Archive& archive, T& report) {
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
