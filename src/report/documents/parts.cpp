#include "report/documents/parts.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::documents {
namespace {

std::string bound_words(const yaml::Node& memory, const std::string& name) {
    const std::string by = memory.at("bound").text();
    const std::string port = by.substr(0, by.find('_'));
    return "waiting for " + name + (by == "compute" ? "" : " (" + port + " bandwidth)");
}

views::MemoryCosts memory_costs_of(const yaml::Node& node) {
    views::MemoryCosts costs;
    costs.memory = node.at("name").text();
    costs.used_words = amount(node.at("used_words"));
    costs.leakage_pj = amount(node.at("leakage_pj"));
    for (const yaml::Node& one : node.at("tensors").items()) {
        views::TensorCosts& tensor = costs.tensors.emplace_back();
        tensor.tensor = one.at("tensor").text();
        tensor.tile_words = amount(one.at("tile_words"));
        tensor.read_words = amount(one.at("read_words"));
        tensor.fill_words = amount(one.at("fill_words"));
        tensor.update_words = amount(one.at("update_words"));
        tensor.energy_pj = amount(one.at("energy_pj")) + amount(one.at("address_energy_pj"));
        if (const yaml::Node* share = one.find("bandwidth_share")) tensor.bandwidth_share = amount(*share);
    }
    for (const yaml::Node& one : node.at("link").items()) {
        const std::string name = one.at("tensor").text();
        const double words = amount(one.at("words"));
        const double energy = amount(one.at("energy_pj"));
        if (words <= 0.0 && energy <= 0.0) continue;
        auto tensor = std::find_if(costs.tensors.begin(), costs.tensors.end(),
                                   [&](const views::TensorCosts& candidate) { return candidate.tensor == name; });
        if (tensor == costs.tensors.end()) {
            costs.tensors.emplace_back().tensor = name;
            tensor = costs.tensors.end() - 1;
        }
        tensor->link_words = words;
        tensor->link_energy_pj = energy;
    }
    return costs;
}

// Useful work, lanes without work, waiting for a memory, latency of the wires: together the cycles.
std::vector<views::Amount> cycle_parts(const yaml::Node& node, const views::Costs& costs, double units) {
    std::vector<views::Amount> parts;
    const double compute = amount(node.at("compute_cycles"));
    const double useful = units > 0.0 ? std::min(compute, costs.computes / units) : compute;
    const double link = std::min(costs.cycles, amount(node.at("link_latency_cycles")));
    parts.push_back({"all units at work", useful});
    parts.push_back({"idle units", compute - useful});
    const yaml::Node& bound = node.at("bound").at("memory");
    std::string waiting = "waiting";
    if (!is_absent(&bound))
        for (const yaml::Node& memory : node.at("memories").items())
            if (memory.at("name").text() == bound.text()) waiting = bound_words(memory, bound.text());
    parts.push_back({waiting, std::max(0.0, costs.cycles - link - compute)});
    parts.push_back({"latency of the wires", link});
    return parts;
}

views::NestLine nest_line_of(const yaml::Node& node) {
    using Kind = views::NestLine::Kind;
    views::NestLine line;
    if (const yaml::Node* store = node.find("store")) {
        line.kind = Kind::store;
        line.name = store->text();
        line.tensors = texts(node.at("tensors"));
        return line;
    }
    line.name = node.at("loop").text();
    line.extent = whole(node.at("extent"));
    line.remainder = whole(node.at("remainder"));
    const std::string& kind = node.at("kind").text();
    if (kind == "spatial_x") line.kind = Kind::spatial_x;
    if (kind == "spatial_y") line.kind = Kind::spatial_y;
    if (line.kind == Kind::temporal && kind != "temporal")
        node.at("kind").fail(ErrorCode::bad_value, "expected temporal, spatial_x or spatial_y, found '" + kind + "'");
    return line;
}

}  // namespace

double amount(const yaml::Node& node) {
    constexpr double kLargest = 1e30;
    const double value = node.real();
    if (!(value >= 0.0 && value <= kLargest)) node.fail(ErrorCode::bad_value, "expected a number from 0 to 1e30");
    return value;
}

bool is_absent(const yaml::Node* node) {
    if (node == nullptr || node->is_null()) return true;
    return node->is_scalar() && !node->is_quoted() && node->text() == "null";
}

std::optional<double> optional_amount(const yaml::Node& map, const char* key) {
    const yaml::Node* node = map.find(key);
    if (is_absent(node)) return {};
    return amount(*node);
}

std::string optional_text(const yaml::Node& map, const char* key) {
    const yaml::Node* node = map.find(key);
    return is_absent(node) ? "" : node->text();
}

std::vector<std::string> texts(const yaml::Node& list) {
    std::vector<std::string> all;
    for (const yaml::Node& item : list.items()) all.push_back(item.text());
    return all;
}

std::string first_name(const yaml::Node& layer) {
    const std::vector<std::string> names = texts(layer.at("names"));
    if (names.empty()) layer.at("names").fail(ErrorCode::bad_value, "expected the name of a layer");
    return names.front();
}

std::int64_t whole(const yaml::Node& node) {
    const std::int64_t value = node.integer();
    if (value < 0) node.fail(ErrorCode::bad_value, "expected a number that is not negative");
    return value;
}

views::Run run_of(const yaml::Node& root, const std::string& file) {
    views::Run run;
    run.file = file;
    run.tool_version = root.at("tool").at("version").text();
    const yaml::Node& provenance = root.at("provenance");
    run.command = provenance.at("command").text();
    run.accounting = provenance.at("accounting").text();
    for (const yaml::Node& input : provenance.at("inputs").items())
        run.inputs.emplace_back(input.at("name").text(), input.at("xxh3_128").text());
    for (const yaml::Node::Entry& option : provenance.at("options").entries())
        run.options.emplace_back(option.key, option.value.text());
    if (const yaml::Node* seed = provenance.find("seed"); !is_absent(seed))
        run.options.emplace_back("seed", seed->text());
    if (const yaml::Node* interrupted = root.find("interrupted")) run.interrupted = interrupted->boolean();
    if (const yaml::Node* notes = root.find("notes")) run.notes = texts(*notes);
    return run;
}

void read_architecture(const yaml::Node& node, views::Run& run) {
    run.architecture = node.at("name").text();
    run.technology = node.at("technology").text();
    run.cycle_seconds = optional_amount(node, "cycle_seconds");
    run.area_um2 = optional_amount(node, "area_um2");
    run.units = amount(node.at("compute").at("instances"));
    for (const yaml::Node& one : node.at("memories").items())
        run.memories.push_back(
            {one.at("name").text(), amount(one.at("instances")), optional_amount(one, "read_words_per_cycle"),
             optional_amount(one, "write_words_per_cycle"), optional_amount(one, "shared_words_per_cycle"),
             optional_amount(one, "capacity_words")});
}

void read_einsum(const yaml::Node& node, views::Layer& layer) {
    layer.einsum = node.at("text").text();
    for (const yaml::Node& one : node.at("dimensions").items())
        layer.extents.push_back({one.at("name").text(), whole(one.at("extent"))});
    for (const yaml::Node& one : node.at("tensors").items()) {
        layer.tensors.push_back({one.at("name").text(), amount(one.at("words")), one.at("written").boolean()});
        if (const yaml::Node* bits = one.find("bits"))
            layer.einsum += ", " + layer.tensors.back().name + " of " + bits->text() + " bits";
    }
}

std::vector<views::NestLine> nest_of(const yaml::Node& list) {
    std::vector<views::NestLine> nest;
    for (const yaml::Node& one : list.items()) nest.push_back(nest_line_of(one));
    return nest;
}

views::Costs costs_of(const yaml::Node& node, double units) {
    views::Costs costs;
    costs.computes = amount(node.at("computes"));
    costs.cycles = amount(node.at("cycles"));
    costs.energy_pj = amount(node.at("energy_pj"));
    costs.compute_energy_pj = amount(node.at("compute_energy_pj")) + amount(node.at("compute_leakage_pj"));
    costs.utilization = amount(node.at("utilization"));
    costs.bound = node.at("bound").at("text").text();
    for (const yaml::Node& memory : node.at("memories").items()) costs.memories.push_back(memory_costs_of(memory));
    costs.cycle_parts = cycle_parts(node, costs, units);
    return costs;
}

std::string title_of(const views::Run& run) {
    return (run.network.empty() ? "one layer" : run.network) +
           (run.architecture.empty() ? "" : " on " + run.architecture);
}

}  // namespace tilewright::documents
