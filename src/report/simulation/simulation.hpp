// Simulated runs for people and programs: a table with the model beside the simulation, JSON, a trace for Perfetto (or
// Chrome), and a picture of the load of the links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "sim/machine/replay.hpp"

namespace tilewright::report {

struct SimulatedLayer {
    std::vector<std::string> names;
    std::int64_t repeats = 1;
    Einsum einsum;
    Evaluation evaluation;  ///< of the exact model
    sim::Floor floor;
    sim::ReplayResult result;
    std::string failure;  ///< reason it was not simulated; then the rest is empty
};

struct Simulation {
    Provenance provenance;
    Architecture architecture;
    std::string network;
    std::string memory;  ///< the simulated DRAM, or ""
    std::vector<SimulatedLayer> layers;
    std::vector<std::string> notes;
    bool interrupted = false;
};

/// The busiest component (the elements, a link, ...), with its busy share of the run.
struct Busiest {
    std::string what;
    double share = 0.0;
};
Busiest busiest_of(const SimulatedLayer& layer);

/// A directed link of the mesh, "element (0,3) to memories", and its share of cycles with a departing flit.
struct LinkLoad {
    int node = 0;
    int port = 0;
    double share = 0.0;
};
LinkLoad busiest_link(const SimulatedLayer& layer);
/// "element (0,3) to element (1,3)", "into outermost memory"
std::string link_name(const sim::Floor& floor, const LinkLoad& link);

std::string simulation_text(const Simulation& simulation);
/// "tilewright-simulation/1"
std::string simulation_json(const Simulation& simulation);

/// Chrome's trace event format; a microsecond of the picture is a cycle.
std::string trace_json(const SimulatedLayer& layer);
/// An SVG picture: nodes, and the links between them coloured by their load.
std::string heat_map_svg(const SimulatedLayer& layer, const Architecture& architecture);

}  // namespace tilewright::report
