// Replays mappings of layers cycle by cycle, in parallel.
//
//     const std::vector<Replayed> layers = replayed(network, mappings);
//     simulation.layers = simulate_layers(layers, architecture, sim::floor_of(architecture), {}, {.stop = &stop});
//
// Free functions on values. Any number of threads gives the same answers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapping/mapping.hpp"
#include "report/report.hpp"
#include "report/simulation/simulation.hpp"
#include "run/map_network.hpp"
#include "run/mapping/mapping_file.hpp"
#include "run/options.hpp"
#include "sim/machine/replay.hpp"
#include "workload/network.hpp"

namespace tilewright {

/// A layer shape and its replayed mapping.
struct Replayed {
    std::vector<std::string> names;  ///< of the layers, in network order; never empty
    std::int64_t repeats = 1;        ///< over the layers
    Einsum einsum;
    std::optional<Mapping> mapping;  ///< none: reason in `failure`
    std::string failure = {};
    std::optional<sim::Cycle> most_cycles = std::nullopt;  ///< longer runs are cut
    MappingPlaces places = {};                             ///< of the mapping's source
};

/// Given mappings; layers with the same shape and the same mapping are one.
std::vector<Replayed> replayed(const Network& network, const std::vector<LayerMapping>& mappings);
/// A search's mappings.
std::vector<Replayed> replayed(const NetworkProblem& problem, const NetworkAnswer& answer);

/// The simulated memory in reports: "DDR4-2400", with its controller if unusual; or "".
std::string memory_name(const sim::MachineOptions& machine);

struct SimulationControl {
    int threads = 0;     ///< 0: all hardware threads
    bool trace = false;  ///< activities over time, for pictures
    const StopSource* stop = nullptr;
    /// Name of a layer, steps done, steps in total. Called from any thread, several at once.
    std::function<void(const std::string&, std::int64_t, std::int64_t)> progress = {};
};

/// In the order of `layers`; failures have their reason in `failure`. Requires problem_with(machine).empty() and a
/// floor with the elements of the architecture.
std::vector<report::SimulatedLayer> simulate_layers(const std::vector<Replayed>& layers,
                                                    const Architecture& architecture, const sim::Floor& floor,
                                                    const sim::MachineOptions& machine,
                                                    const SimulationControl& control = {});

// Re-ranks the best mappings of every layer by simulation, to separate the model's near ties.
//
//     NetworkAnswer answer = map_network(problem, options);
//     const std::vector<report::Refinement> refined = refine(problem, {options, machine, floor}, answer);
//
// Free functions on values. Any number of threads gives the same answers, but for a stop.

struct RefineOptions {
    MapOptions map;  ///< of the search: its objective ranks with simulated cycles, its seed draws the candidates
    sim::MachineOptions machine;
    sim::Floor floor;
    int candidates = 8;  ///< of a layer, with the search's own answer
};

/// Simulates each layer's answer and the best mappings around it (mapper/shortlist.hpp; none for an uneven answer), and
/// makes the best the answer: energy by the model, cycles by the simulation. Of equals the first counts. Claims about a
/// replaced answer are withdrawn. By shape of the problem; empty without an answer. Requires an objective other than
/// pareto.
std::vector<std::optional<report::Refinement>> refine(const NetworkProblem& problem, const RefineOptions& options,
                                                      NetworkAnswer& answer, const SimulationControl& control = {});

}  // namespace tilewright
