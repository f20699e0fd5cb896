// "tilewright-simulation": layers replayed cycle by cycle. "tilewright-schedule-replay": schedules, likewise.

#include <algorithm>
#include <map>

#include "report/documents/parts.hpp"

namespace tilewright::documents {
namespace {

constexpr std::size_t kMostLinks = 40;

views::Figure cycles(const yaml::Node& root) {
    plot::StackedBars chart{
        "Simulated cycles: " + root.at("network").text() + " on " + root.at("architecture").text(),
        {},
        {"latency", "cycles"},
        {{"computing", {}}, {"waiting for words", {}}, {"waiting for others", {}}, {"nothing to do", {}}}};
    for (const yaml::Node& layer : root.at("layers").items()) {
        if (layer.find("elements") == nullptr) continue;  // it was not simulated, and says why
        const yaml::Node& elements = layer.at("elements");
        const double count = std::max(1.0, amount(elements.at("count")));
        chart.bars.push_back(first_name(layer));
        chart.parts[0].values.push_back(amount(elements.at("computing_cycles")) / count);
        chart.parts[1].values.push_back(amount(elements.at("waiting_cycles")) / count);
        // Documents of earlier versions have it in "other".
        chart.parts[2].values.push_back(optional_amount(elements, "waiting_for_others_cycles").value_or(0.0) / count);
        chart.parts[3].values.push_back(amount(elements.at("other_cycles")) / count);
    }
    return {"simulated",
            "One run of every layer: what its elements do, on average. 'Waiting for words': a step is due and its "
            "words are not there; 'waiting for others': an element sits out steps of others; 'nothing to do': after "
            "its last computation, or it never computes.",
            std::move(chart), ""};
}

// The links that are busiest in any layer.
views::Figure links(const yaml::Node& root) {
    const std::vector<yaml::Node>& layers = root.at("layers").items();
    std::map<std::string, std::vector<double>> shares;  // by link, of each layer
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (layers[i].find("links") == nullptr) continue;
        for (const yaml::Node& link : layers[i].at("links").items()) {
            std::vector<double>& row = shares[link.at("link").text()];
            row.resize(layers.size());
            row[i] = 100.0 * amount(link.at("share"));
        }
    }
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [name, row] : shares) order.emplace_back(-*std::ranges::max_element(row), name);
    std::sort(order.begin(), order.end());
    if (order.size() > kMostLinks) order.resize(kMostLinks);
    plot::HeatMap chart{"Busiest links: " + root.at("network").text(), {}, {}, {"share of cycles", "%"}, {}};
    for (const yaml::Node& layer : layers) chart.columns.push_back(first_name(layer));
    for (const auto& [share, name] : order) {
        chart.rows.push_back(name);
        chart.cells.push_back(shares[name]);
    }
    return {"links", "The share of a layer's cycles in which a flit leaves by the link; the busiest links only.",
            std::move(chart), ""};
}

// What a schedule's cycles went to, each on its critical path.
views::Figure replayed(const yaml::Node& root) {
    plot::StackedBars chart{"Replayed schedules: " + root.at("machine").text(),
                            {},
                            {"latency", "cycles"},
                            {{"computing", {}}, {"moving", {}}, {"waiting for the memory", {}}}};
    for (const yaml::Node& layer : root.at("layers").items()) {
        if (layer.find("path") == nullptr) continue;  // it was not replayed, and says why
        const yaml::Node& path = layer.at("path");
        chart.bars.push_back(first_name(layer));
        chart.parts[0].values.push_back(amount(path.at("computing_cycles")));
        chart.parts[1].values.push_back(amount(path.at("moving_cycles")));
        chart.parts[2].values.push_back(amount(path.at("memory_cycles")) + amount(path.at("draining_cycles")));
    }
    return {"simulated",
            "One run of every layer: what its cycles went to, one after the other. 'Moving': transfers, as long as a "
            "DMA channel takes for their bytes; 'waiting for the memory': what they took beyond that.",
            std::move(chart), ""};
}

// `expected`: the key of the cycles that the simulated ones stand beside.
std::vector<views::SimulatedLayer> layers_of(const yaml::Node& root, const char* expected) {
    std::vector<views::SimulatedLayer> layers;
    for (const yaml::Node& node : root.at("layers").items()) {
        if (node.find(expected) == nullptr) continue;  // it was not simulated, and says why
        views::SimulatedLayer& layer = layers.emplace_back();
        layer.names = texts(node.at("names"));
        layer.repeats = amount(node.at("repeats"));
        layer.model_cycles = amount(node.at(expected));
        layer.cycles = amount(node.at("cycles"));
        layer.interrupted = node.at("interrupted").boolean();
        layer.underestimated = optional_text(node, "underestimated");
        if (node.find("terms") == nullptr) continue;  // of an earlier version
        for (const yaml::Node& term : node.at("terms").items())
            layer.terms.push_back(
                {term.at("term").text(), amount(term.at("model_cycles")), amount(term.at("simulated_cycles"))});
    }
    return layers;
}

std::string with_memory(const std::string& title, const yaml::Node& root) {
    const std::string memory = optional_text(root, "memory");
    return memory.empty() ? title : title + ", " + memory;
}

}  // namespace

views::Document read_schedule_replay(const yaml::Node& root, const std::string& file) {
    const std::string title = with_memory("schedules on " + root.at("machine").text(), root);
    return {file, {}, {replayed(root)}, {{file, title, layers_of(root, "scheduled_cycles")}}};
}

views::Document read_simulation(const yaml::Node& root, const std::string& file) {
    const std::string title = with_memory(root.at("network").text() + " on " + root.at("architecture").text(), root);
    return {file, {}, {cycles(root), links(root)}, {{file, title, layers_of(root, "model_cycles")}}};
}

}  // namespace tilewright::documents
