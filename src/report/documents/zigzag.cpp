// "tilewright-zigzag": layers on ZigZag's accelerators, counted as ZigZag does or with our latency model.

#include <algorithm>
#include <cmath>

#include "report/documents/parts.hpp"

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
void read_operands(const yaml::Node& operands, views::Costs& costs) {
    for (const yaml::Node::Entry& operand : operands.entries()) {
        const std::vector<yaml::Node>& levels = operand.value.items();
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
            const yaml::Node& words = level->at("word_accesses");
            views::TensorCosts tensor;
            tensor.tensor = operand.key;
            tensor.read_words = amount(words.at("rd_out_to_low")) + amount(words.at("rd_out_to_high"));
            tensor.fill_words = amount(words.at("wr_in_by_high"));
            tensor.update_words = amount(words.at("wr_in_by_low"));
            tensor.energy_pj = amount(level->at("energy_pj"));
            memory_of(costs, level->at("memory").text()).tensors.push_back(tensor);
        }
    }
}

// As amount(), but of either sign.
double signed_amount(const yaml::Node& node) {
    constexpr double kLargest = 1e30;
    const double value = node.real();
    if (!(std::abs(value) <= kLargest)) node.fail(ErrorCode::bad_value, "expected a number from -1e30 to 1e30");
    return value;
}

// ZigZag's parts may be negative (slack counted against what is waited for elsewhere): then only their sum is shown.
std::vector<views::Amount> cycle_parts_of(const yaml::Node& latency, double total) {
    const double ideal = std::min(total, amount(latency.at("ideal_cycles")));
    const double idle = std::clamp(signed_amount(latency.at("spatial_stall_cycles")), 0.0, total - ideal);
    const double stalls = signed_amount(latency.at("temporal_stall_cycles"));
    const double loads = signed_amount(latency.at("onloading_cycles"));
    const double stores = signed_amount(latency.at("offloading_cycles"));
    const std::vector<views::Amount> units{{"all units at work", ideal}, {"idle units", idle}};
    if (stalls < 0.0 || loads < 0.0 || stores < 0.0)
        return {units[0], units[1], {"stalls, first loads and last stores", total - ideal - idle}};
    return {units[0], units[1], {"stalls", stalls}, {"first loads", loads}, {"last stores", stores}};
}

views::Costs costs_of_zigzag(const yaml::Node& node, double operations) {
    const yaml::Node& latency = node.at("latency");
    views::Costs costs;
    costs.computes = operations;
    costs.cycles = amount(latency.at("total_cycles"));
    costs.energy_pj = amount(node.at("energy_pj"));
    costs.compute_energy_pj = amount(node.at("mac_energy_pj"));
    costs.utilization = amount(latency.at("utilization"));
    read_operands(node.at("operands"), costs);
    costs.cycle_parts = cycle_parts_of(latency, costs.cycles);
    return costs;
}

views::Layer zigzag_layer(const yaml::Node& node) {
    views::Layer layer;
    layer.name = node.at("name").text();
    layer.same_shape = {layer.name};
    layer.op = node.at("operator").text();
    for (const yaml::Node::Entry& dimension : node.at("dimensions").entries())
        layer.extents.push_back({dimension.key, whole(dimension.value)});
    if (const yaml::Node* failures = node.find("failures")) layer.failures = texts(*failures);
    if (const yaml::Node* evaluation = node.find("evaluation"))
        layer.costs = costs_of_zigzag(*evaluation, amount(node.at("operations")));
    if (const yaml::Node* search = node.find("search")) {
        layer.search = read_as<SearchSummary>(*search);
        if (layer.search->proven) layer.search->claim = "proven optimal";
    }
    return layer;
}

// The memories in use, in the order in which the layers name them.
void collect_memories(views::Run& run) {
    for (const views::Layer& layer : run.layers) {
        if (!layer.costs) continue;
        for (const views::MemoryCosts& memory : layer.costs->memories)
            if (run.memory(memory.memory) == nullptr) run.memories.emplace_back().name = memory.memory;
    }
}

}  // namespace

views::Document read_zigzag(const yaml::Node& root, const std::string& file) {
    auto provenance = read_as<report::Provenance>(root.at("provenance"));
    provenance.tool_version = root.at("tool").at("version").text();
    views::Run run = run_of(provenance, file);
    if (const yaml::Node* interrupted = root.find("interrupted")) run.interrupted = interrupted->boolean();
    if (const yaml::Node* notes = root.find("notes")) run.notes = texts(*notes);
    run.architecture = root.at("accelerator").at("name").text();
    run.units = amount(root.at("accelerator").at("units"));
    run.network = root.at("network").text();
    for (const yaml::Node& layer : root.at("layers").items()) run.layers.push_back(zigzag_layer(layer));
    collect_memories(run);
    run.title = title_of(run);
    return {file, {run}, {}};
}

}  // namespace tilewright::documents
