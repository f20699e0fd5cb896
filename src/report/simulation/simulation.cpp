#include "report/simulation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/numbers/number_text.hpp"
#include "report/json_parts.hpp"
#include "report/parts/table.hpp"
#include "report/simulation/terms.hpp"

namespace tilewright::report {
namespace {

double share(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

double computing_share(const SimulatedLayer& layer) {
    return share(layer.result.elements.computing, layer.result.cycles * layer.floor.elements());
}

std::string node_name(const sim::Floor& floor, int node) {
    const int x = floor.mesh.x(node);
    const int y = floor.mesh.y(node);
    if (y < floor.placed_y && x < floor.placed_x) return fmt::format("element ({},{})", x, y);
    if (node == floor.node_of_memory(0)) return "outermost memory";
    if (node == floor.node_of_memory(1)) return "inner memories";
    return fmt::format("node ({},{})", x, y);
}

std::string name_of(const SimulatedLayer& layer) { return layer.names.front(); }

/// Sequential events: viewers cannot show two at once on a track.
struct Track {
    std::string name;
    std::vector<const sim::TraceEvent*> events;
    sim::Cycle end = 0;
};

/// Memories, then elements in their order; overlapping events go to another track of the same name with a number.
std::vector<Track> tracks_of(const std::vector<sim::TraceEvent>& trace) {
    using Place = std::pair<int, std::string>;
    std::map<Place, std::vector<const sim::TraceEvent*>> places;
    for (const sim::TraceEvent& event : trace) places[{event.element, event.track}].push_back(&event);
    std::vector<Track> tracks;
    for (auto& [place, events] : places) {
        std::ranges::stable_sort(events, {}, [](const sim::TraceEvent* event) { return event->begin; });
        const std::size_t first = tracks.size();
        for (const sim::TraceEvent* event : events) {
            const auto from = tracks.begin() + static_cast<std::ptrdiff_t>(first);
            auto free = std::find_if(from, tracks.end(), [&](const Track& one) { return one.end <= event->begin; });
            if (free == tracks.end()) {
                const std::size_t number = tracks.size() - first + 1;
                tracks.push_back({number == 1 ? place.second : fmt::format("{}, {}", place.second, number), {}});
                free = tracks.end() - 1;
            }
            free->events.push_back(event);
            free->end = event->end;
        }
    }
    return tracks;
}

}  // namespace

std::string link_name(const sim::Floor& floor, const LinkLoad& link) {
    if (link.port == sim::index_of(sim::Port::local)) return "into " + node_name(floor, link.node);
    const int to = floor.mesh.neighbour(link.node, link.port);
    return node_name(floor, link.node) + " to " + node_name(floor, to);
}

LinkLoad busiest_link(const SimulatedLayer& layer) {
    const std::vector<std::int64_t>& flits = layer.result.flits;
    const auto most = std::max_element(flits.begin(), flits.end()) - flits.begin();
    const auto index = static_cast<int>(most);
    return {index / sim::kPorts, index % sim::kPorts, share(flits[most], layer.result.cycles)};
}

Busiest busiest_of(const SimulatedLayer& layer) {
    const LinkLoad link = busiest_link(layer);
    const double computing = computing_share(layer);
    if (computing >= link.share) return {"elements", computing};
    return {"link " + link_name(layer.floor, link), link.share};
}

std::string simulation_text(const Simulation& simulation) {
    Table table({"layer", "repeats", "model", "simulated", "ratio", "computing", "waiting", "busiest", "share",
                 "underestimated"},
                "lrrrrrrlrl");
    std::int64_t model = 0;
    std::int64_t simulated = 0;
    std::string failures;
    for (const SimulatedLayer& layer : simulation.layers) {
        if (!layer.failure.empty()) {
            failures += fmt::format("\n{}: not simulated: {}", name_of(layer), layer.failure);
            continue;
        }
        const sim::ReplayResult& r = layer.result;
        const Busiest busiest = busiest_of(layer);
        table.add({name_of(layer) +
                       (r.interrupted ? fmt::format(" (cut short at step {} of {})", r.steps_done, r.steps) : ""),
                   count_text(layer.repeats), count_text(layer.evaluation.cycles), count_text(r.cycles),
                   fmt::format("{:.2f}", share(r.cycles, layer.evaluation.cycles)), share_text(computing_share(layer)),
                   share_text(share(r.elements.waiting_for_words, r.cycles * layer.floor.elements())), busiest.what,
                   share_text(busiest.share), r.interrupted ? "" : underestimated_text(terms_of(layer))});
        model += layer.repeats * layer.evaluation.cycles;
        simulated += layer.repeats * r.cycles;
    }
    std::string title = simulation.network.empty() ? simulation.architecture.name
                                                   : simulation.network + " on " + simulation.architecture.name;
    std::string text = title + ", cycle by cycle" + (simulation.memory.empty() ? "" : ", " + simulation.memory) +
                       "\n\n" + table.text();
    text += fmt::format("\ntotal (with repeats): {} cycles in the model, {} simulated ({:.2f} times)\n",
                        count_text(model), count_text(simulated), share(simulated, model));
    if (!failures.empty()) text += failures + "\n";
    for (const std::string& note : simulation.notes) text += "\nnote: " + note + "\n";
    return text;
}

std::string trace_json(const SimulatedLayer& layer) {
    Json events = Json::array();
    const auto call = [&](const char* what, std::size_t track, const std::string& name) {
        events.push_back({{"ph", "M"}, {"name", what}, {"pid", 0}, {"tid", track}, {"args", {{"name", name}}}});
    };
    call("process_name", 0, name_of(layer));
    const std::vector<Track> tracks = tracks_of(layer.result.trace);
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        call("thread_name", i + 1, tracks[i].name);
        for (const sim::TraceEvent* event : tracks[i].events)
            events.push_back({{"ph", "X"},
                              {"name", event->name},
                              {"pid", 0},
                              {"tid", i + 1},
                              {"ts", event->begin},
                              {"dur", event->end - event->begin}});
    }
    for (const sim::Occupancy& sample : layer.result.occupancy) {
        events.push_back({{"ph", "C"},
                          {"name", "under way"},
                          {"pid", 0},
                          {"ts", sample.at},
                          {"args", {{"transfers", sample.transfers}, {"elements computing", sample.computing}}}});
    }
    Json json;
    json["traceEvents"] = std::move(events);
    json["displayTimeUnit"] = "ns";
    json["otherData"] = {{"layer", name_of(layer)}, {"unit", "cycles"}, {"complete", layer.result.trace_complete}};
    return dumped(json);
}

}  // namespace tilewright::report
