// "tilewright-zigzag": layers on ZigZag's accelerators, by ZigZag's counts or with our latency model.

#include <algorithm>

#include "report/documents/parts.hpp"
#include "report/fields.hpp"
#include "report/zigzag_document.hpp"

namespace tilewright::documents {
namespace {

views::MemoryCosts& memory_of(views::Costs& costs, const std::string& name) {
    const auto found = std::find_if(costs.memories.begin(), costs.memories.end(),
                                    [&](const views::MemoryCosts& memory) { return memory.memory == name; });
    if (found != costs.memories.end()) return *found;
    costs.memories.emplace_back().memory = name;
    return costs.memories.back();
}

// ZigZag lists operands and their levels from the units upwards; we list memories outermost first.
void take_operands(const document::ZigzagCosts& from, views::Costs& costs) {
    using zigzag::Direction;
    for (const auto& [operand, levels] : from.operands)
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
            const zigzag::PerDirection<std::int64_t>& words = level->of.words;
            views::TensorCosts tensor;
            tensor.tensor = operand;
            tensor.read_words = number(words[Direction::read_down]) + number(words[Direction::read_up]);
            tensor.fill_words = number(words[Direction::write_from_above]);
            tensor.update_words = number(words[Direction::write_from_below]);
            tensor.energy_pj = level->of.energy_pj;
            memory_of(costs, level->memory).tensors.push_back(tensor);
        }
}

// ZigZag's parts may be negative (slack against other waits): then only their sum is shown.
std::vector<views::Amount> cycle_parts_of(const zigzag::Latency& latency, double total) {
    const double ideal = std::min(total, number(latency.ideal_cycles));
    const double idle = std::clamp(number(latency.spatial_stall_cycles()), 0.0, total - ideal);
    const double stalls = number(latency.stall_cycles);
    const double loads = latency.onloading_cycles;
    const double stores = latency.offloading_cycles;
    const std::vector<views::Amount> units{{"all units at work", ideal}, {"idle units", idle}};
    if (stalls < 0.0 || loads < 0.0 || stores < 0.0)
        return {units[0], units[1], {"stalls, first loads and last stores", total - ideal - idle}};
    return {units[0], units[1], {"stalls", stalls}, {"first loads", loads}, {"last stores", stores}};
}

views::Costs costs_of_zigzag(const document::ZigzagCosts& from, std::int64_t operations) {
    views::Costs costs;
    costs.computes = number(operations);
    costs.cycles = from.latency.total_cycles;
    costs.energy_pj = from.energy_pj;
    costs.compute_energy_pj = from.mac_energy_pj;
    costs.utilization = from.latency.utilization;
    take_operands(from, costs);
    costs.cycle_parts = cycle_parts_of(from.latency.of, costs.cycles);
    return costs;
}

views::Layer zigzag_layer(const document::ZigzagLayer& from) {
    views::Layer layer;
    layer.name = from.name;
    layer.same_shape = {layer.name};
    layer.op = from.op;
    for (const auto& [dimension, extent] : from.dimensions) layer.extents.push_back({dimension, extent});
    layer.failures = from.failures;
    if (from.evaluation) layer.costs = costs_of_zigzag(*from.evaluation, from.operations);
    if (from.search) {
        layer.search = from.search->of;
        if (layer.search->proven) layer.search->claim = "proven optimal";
    }
    return layer;
}

void collect_memories(views::Run& run) {
    for (const views::Layer& layer : run.layers) {
        if (!layer.costs) continue;
        for (const views::MemoryCosts& memory : layer.costs->memories)
            if (run.memory(memory.memory) == nullptr) run.memories.emplace_back().name = memory.memory;
    }
}

}  // namespace

views::Document read_zigzag(const yaml::Node& root, const std::string& file) {
    const auto zigzag = read_as<document::Zigzag>(root);
    views::Run run = run_of(zigzag.provenance, file);
    run.interrupted = zigzag.interrupted;
    run.notes = zigzag.notes;
    run.architecture = zigzag.accelerator;
    run.units = number(zigzag.units);
    run.network = zigzag.network;
    for (const document::ZigzagLayer& layer : zigzag.layers) run.layers.push_back(zigzag_layer(layer));
    collect_memories(run);
    run.title = title_of(run);
    return {file, {run}, {}};
}

}  // namespace tilewright::documents
