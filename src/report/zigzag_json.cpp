#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/zigzag.hpp"
#include "report/zigzag_document.hpp"
#include "zigzag/forms/uneven_text.hpp"

namespace tilewright::document {

/// Its key, of each direction.
template <typename Use>
void each_direction(const Use& use) {
    for (int d = 0; d < zigzag::kDirections; ++d) {
        const auto direction = static_cast<zigzag::Direction>(d);
        use(std::string(zigzag::long_name_of(direction)), direction);
    }
}

template <typename Values>
void by_direction(yaml::Archive& archive, const char* key, Values& values) {
    archive.group(
        key,
        [&](auto& group) {
            each_direction(
                [&](const std::string& name, zigzag::Direction direction) { group(name.c_str(), values[direction]); });
        },
        "in ZigZag's words: high is away from the multipliers");
}

void fields(yaml::Archive& archive, ZigzagLevel& level) {
    auto& of = level.of;
    archive.name("Level", "one operand at one memory, all instances");
    archive("memory", level.memory);
    by_direction(archive, "word_accesses", of.words);
    archive("energy_pj", of.energy_pj);
    by_direction(archive, "energy_pj_by_direction", of.energy_pj_by_direction);
    archive.group(
        "utilization",
        [&](auto& share) {
            share("individual", of.utilization);
            share("shared", of.shared_utilization);
            share("effective_individual", of.effective_utilization);
            share("effective_shared", of.effective_shared_utilization);
        },
        "shares of one instance");
    archive("double_buffered", of.double_buffered);
}

void fields(yaml::Archive& archive, ZigzagTransfer& one) {
    yaml::Choice direction{one.of.direction, {}};
    each_direction([&](const std::string& name, zigzag::Direction of) { direction.names.emplace_back(of, name); });
    archive.name("Transfer");
    archive("operand", one.operand);
    archive("level", one.level);
    archive("direction", direction);
    archive("needed_cycles", one.of.transfer.real_cycles);
    archive("allowed_cycles", one.of.transfer.allowed_cycles);
    archive("period_cycles", one.of.transfer.period_cycles);
    archive("count", one.of.transfer.count);
}

void fields(yaml::Archive& archive, ZigzagPort& port) {
    archive.name("Port");
    archive("memory", port.memory);
    archive("port", port.port);
    archive("stall_cycles", yaml::Signed{port.stall_cycles}, "negative: slack");
    archive("transfers", port.transfers);
}

void fields(yaml::Archive& archive, ZigzagLatency& latency) {
    auto& of = latency.of;
    std::int64_t spatial_stall_cycles = of.spatial_stall_cycles();
    archive.name("Latency");
    archive("ideal_cycles", of.ideal_cycles);
    archive("ideal_temporal_cycles", of.ideal_temporal_cycles);
    archive.derived("spatial_stall_cycles", yaml::Signed{spatial_stall_cycles}, "ideal_temporal_cycles - ideal_cycles");
    archive("temporal_stall_cycles", yaml::Signed{of.stall_cycles});
    archive("onloading_cycles", yaml::Signed{of.onloading_cycles}, "negative where ZigZag's own is");
    archive("offloading_cycles", yaml::Signed{of.offloading_cycles});
    archive("total_cycles", latency.total_cycles);
    archive("utilization", latency.utilization);
}

void fields(yaml::Archive& archive, ZigzagCosts& costs) {
    archive.name("Evaluation");
    archive("energy_pj", costs.energy_pj);
    archive("mac_energy_pj", costs.mac_energy_pj);
    archive("memory_energy_pj", costs.memory_energy_pj);
    archive("latency", costs.latency);
    archive("operands", costs.operands, "by operand, the level nearest the multipliers first");
    archive("ports", costs.ports);
}

void fields(yaml::Archive& archive, ZigzagLoop& loop) {
    archive.name("Loop", "its dimension and its iterations");
    archive.items(loop.dimension, yaml::Positive{loop.size});
}

void fields(yaml::Archive& archive, ZigzagSearch& search) {
    archive("evaluations", search.of.evaluations, "orders that were costed");
    archive("valid", search.of.valid, "of those, the ones that fit");
    archive("stopped_by", search.of.stopped_by);
    archive.also("proven", search.of.proven, "no order is better");
}

void fields(yaml::Archive& archive, ZigzagLayer& layer) {
    const bool evaluated = layer.evaluation.has_value();
    archive.name("Layer");
    archive("name", layer.name);
    archive("operator", layer.op);
    archive("dimensions", layer.dimensions);
    archive("operations", layer.operations);
    archive("spatial_mapping", layer.spatial_mapping,
            "by dimension of the array, the dimensions of the layer that are unrolled there");
    archive.derived("status", yaml::Choice<const bool>{evaluated, {{true, "evaluated"}, {false, "no_mapping"}}});
    archive.where(!evaluated, "failures", layer.failures);
    archive.where_any("temporal_mapping", layer.temporal_mapping,
                      "by operand, the loops of each memory level, innermost first");
    archive.where_any("evaluation", layer.evaluation);
    archive.where_any("search", layer.search);
}

void fields(yaml::Archive& archive, Zigzag& zigzag) {
    begin(archive, "tilewright-zigzag/1", zigzag.provenance);
    archive.also("interrupted", zigzag.interrupted, "the search was cut short; the mappings are the best so far");
    archive.also("notes", zigzag.notes);
    archive.group("accelerator", [&](auto& accelerator) {
        accelerator("name", zigzag.accelerator);
        accelerator("units", yaml::Positive{zigzag.units});
    });
    archive("network", zigzag.network);
    archive("layers", zigzag.layers);
}

}  // namespace tilewright::document

namespace tilewright::report {
namespace {

using zigzag::Accelerator;
using zigzag::Layer;

document::ZigzagPort port_of(const zigzag::PortCost& port, const Accelerator& accelerator, const Layer& layer) {
    const zigzag::SharedMemory& memory = accelerator.memories[port.memory];
    document::ZigzagPort out{memory.name, memory.ports[port.port].name, port.stall_cycles, {}};
    for (const zigzag::PortActivity& activity : port.activities)
        out.transfers.push_back({layer.operands[activity.operand].name, activity.level, activity});
    return out;
}

document::ZigzagCosts costs_of(const zigzag::Result& result, const Accelerator& accelerator, const Layer& layer) {
    const double total = result.latency.total();
    document::ZigzagCosts out{result.energy_pj(),
                              result.mac_energy_pj,
                              result.memory_energy_pj,
                              {result.latency, total, result.latency.utilization(total)},
                              {},
                              {}};
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
        auto& levels = out.operands.emplace_back(layer.operands[i].name, std::vector<document::ZigzagLevel>{}).second;
        for (const zigzag::LevelCost& level : result.levels[i])
            levels.push_back({accelerator.memories[level.memory].name, level});
    }
    for (const zigzag::PortCost& port : result.ports) out.ports.push_back(port_of(port, accelerator, layer));
    return out;
}

auto loops_of(const zigzag::UnevenMapping& mapping, const Layer& layer) {
    yaml::Entries<std::vector<std::vector<document::ZigzagLoop>>> out;
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
        auto& levels = out.emplace_back().second;
        out.back().first = layer.operands[i].name;
        for (const zigzag::LevelLoops& loops : mapping.operands[i]) {
            levels.emplace_back();
            for (const zigzag::TemporalLoop& loop : loops)
                levels.back().push_back({layer.dimensions[loop.dimension].name, loop.size});
        }
    }
    return out;
}

document::ZigzagLayer layer_of(const ZigzagLayer& one, const Accelerator& accelerator) {
    document::ZigzagLayer out;
    out.name = one.layer.name;
    out.op = one.layer.operator_type;
    for (const Dimension& dimension : one.layer.dimensions)
        out.dimensions.emplace_back(dimension.name, dimension.extent);
    out.operations = one.layer.operations;
    for (std::size_t a = 0; a < one.unrolling.size(); ++a) {
        auto& row = out.spatial_mapping.emplace_back().second;
        out.spatial_mapping.back().first = accelerator.array[a].name;
        for (const zigzag::Unrolling& unrolling : one.unrolling[a])
            row.emplace_back(one.layer.dimensions[unrolling.dimension].name, unrolling.factor);
    }
    if (!one.result) out.failures = placed_failures(one);
    if (one.mapping) out.temporal_mapping = loops_of(*one.mapping, one.layer);
    if (one.result) out.evaluation = costs_of(*one.result, accelerator, one.layer);
    if (one.search) out.search = document::ZigzagSearch{*one.search};
    return out;
}

}  // namespace

std::string zigzag_json(const ZigzagReport& report) {
    document::Zigzag out{report.provenance,
                         report.interrupted,
                         report.notes,
                         report.accelerator.name,
                         report.accelerator.units,
                         report.network,
                         {}};
    for (const ZigzagLayer& one : report.layers) out.layers.push_back(layer_of(one, report.accelerator));
    return dumped(yaml::place_of(out));
}

}  // namespace tilewright::report
