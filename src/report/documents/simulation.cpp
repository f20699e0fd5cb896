// "tilewright-simulation": layers replayed cycle by cycle. "tilewright-schedule-replay": schedules, likewise.

#include <algorithm>
#include <map>

#include "report/documents/documents.hpp"
#include "report/documents/parts.hpp"
#include "report/fields.hpp"
#include "report/simulation/document.hpp"

namespace tilewright::documents {
namespace {

constexpr std::size_t kMostLinks = 40;

views::Figure cycles(const document::Simulation& simulation) {
    plot::StackedBars chart{
        "Simulated cycles: " + simulation.network + " on " + simulation.architecture,
        {},
        {"latency", "cycles"},
        {{"computing", {}}, {"waiting for words", {}}, {"waiting for others", {}}, {"nothing to do", {}}}};
    for (const document::SimulatedLayer& layer : simulation.layers) {
        if (!layer.run) continue;  // not simulated, with a reason
        const sim::ElementTime& time = layer.run->time;
        const double count = std::max(1.0, number(layer.run->elements));
        chart.bars.push_back(layer.names.front());
        chart.parts[0].values.push_back(number(time.computing) / count);
        chart.parts[1].values.push_back(number(time.waiting_for_words) / count);
        // Documents of earlier versions have it in "other".
        chart.parts[2].values.push_back(number(time.waiting_for_others) / count);
        chart.parts[3].values.push_back(number(time.other) / count);
    }
    return {"simulated",
            "One run of every layer: what its elements do, on average. 'Waiting for words': a step is due and its "
            "words are not there; 'waiting for others': an element sits out steps of others; 'nothing to do': after "
            "its last computation, or it never computes.",
            std::move(chart), ""};
}

views::Figure links(const document::Simulation& simulation) {
    const std::vector<document::SimulatedLayer>& layers = simulation.layers;
    std::map<std::string, std::vector<double>> shares;  // by link, of each layer
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (!layers[i].run) continue;
        for (const document::LinkUse& link : layers[i].run->links) {
            std::vector<double>& row = shares[link.link];
            row.resize(layers.size());
            row[i] = 100.0 * link.share;
        }
    }
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [name, row] : shares) order.emplace_back(-*std::ranges::max_element(row), name);
    std::sort(order.begin(), order.end());
    if (order.size() > kMostLinks) order.resize(kMostLinks);
    plot::HeatMap chart{"Busiest links: " + simulation.network, {}, {}, {"share of cycles", "%"}, {}};
    for (const document::SimulatedLayer& layer : layers) chart.columns.push_back(layer.names.front());
    for (const auto& [share, name] : order) {
        chart.rows.push_back(name);
        chart.cells.push_back(shares[name]);
    }
    return {"links", "The share of a layer's cycles in which a flit leaves by the link; the busiest links only.",
            std::move(chart), ""};
}

views::Figure replayed(const document::ScheduleReplay& replay) {
    plot::StackedBars chart{"Replayed schedules: " + replay.machine,
                            {},
                            {"latency", "cycles"},
                            {{"computing", {}}, {"moving", {}}, {"waiting for the memory", {}}}};
    for (const document::ReplayedLayer& layer : replay.layers) {
        if (!layer.run) continue;  // not replayed, with a reason
        const sim::npu::Path& path = layer.run->path;
        chart.bars.push_back(layer.names.front());
        chart.parts[0].values.push_back(number(path.computing));
        chart.parts[1].values.push_back(number(path.moving));
        chart.parts[2].values.push_back(number(path.memory) + number(path.draining));
    }
    return {"simulated",
            "One run of every layer: what its cycles went to, one after the other. 'Moving': transfers, as long as a "
            "DMA channel takes for their bytes; 'waiting for the memory': what they took beyond that.",
            std::move(chart), ""};
}

std::int64_t expected_cycles(const document::SimulatedRun& run) { return run.model_cycles; }
std::int64_t expected_cycles(const document::ReplayedRun& run) { return run.scheduled_cycles; }

// Of those simulated.
template <typename Layer>
std::vector<views::SimulatedLayer> simulated_layers(const std::vector<Layer>& layers) {
    std::vector<views::SimulatedLayer> out;
    for (const Layer& layer : layers)
        if (layer.run)
            out.push_back({layer.names, number(layer.repeats), number(expected_cycles(*layer.run)),
                           number(layer.run->cycles), layer.run->interrupted, layer.run->terms,
                           layer.run->underestimated.value_or("")});
    return out;
}

std::string with_memory(const std::string& title, const std::string& memory) {
    return memory.empty() ? title : title + ", " + memory;
}

views::Document shown(const document::ScheduleReplay& replay, const std::string& file) {
    const std::string title = with_memory("schedules on " + replay.machine, replay.memory);
    return {file, {}, {replayed(replay)}, {{file, title, simulated_layers(replay.layers)}}};
}

views::Document shown(const document::Simulation& simulation, const std::string& file) {
    const std::string title = with_memory(simulation.network + " on " + simulation.architecture, simulation.memory);
    return {file, {}, {cycles(simulation), links(simulation)}, {{file, title, simulated_layers(simulation.layers)}}};
}

}  // namespace

views::Document read_schedule_replay(const yaml::Node& root, const std::string& file) {
    check_names(root);
    return shown(read_as<document::ScheduleReplay>(root), file);
}

views::Document read_simulation(const yaml::Node& root, const std::string& file) {
    check_names(root);
    return shown(read_as<document::Simulation>(root), file);
}

views::Document document_of(const report::ScheduleReplay& replay, const std::string& file) {
    return shown(document::document_of(replay), file);
}

views::Document document_of(const report::Simulation& simulation, const std::string& file) {
    return shown(document::document_of(simulation), file);
}

}  // namespace tilewright::documents
