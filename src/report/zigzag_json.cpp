#include "report/json_parts.hpp"
#include "report/zigzag_fields.hpp"
#include "zigzag/forms/uneven_text.hpp"

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
    return dumped(yaml::Writer::write(out));
}

}  // namespace tilewright::report
