// Replays mappings of layers cycle by cycle, side by side.
//
//     const std::vector<Replayed> layers = replayed(network, mappings);
//     simulation.layers = simulate_layers(layers, architecture, sim::floor_of(architecture), {}, {.stop = &stop});
//
// Free functions on values. The answers are the same on any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapping/mapping.hpp"
#include "report/simulation/simulation.hpp"
#include "run/map_network.hpp"
#include "run/mapping/mapping_file.hpp"
#include "sim/machine/replay.hpp"
#include "workload/network.hpp"

namespace tilewright {

/// A layer shape and the mapping of it that is replayed.
struct Replayed {
    std::vector<std::string> names;  ///< of the layers, in network order; never empty
    std::int64_t repeats = 1;        ///< over the layers
    Einsum einsum;
    std::optional<Mapping> mapping;  ///< none: `failure` says why
    std::string failure = {};
    std::optional<sim::Cycle> most_cycles = std::nullopt;  ///< a run that takes more is cut: it is of no interest
    MappingPlaces places = {};                             ///< where the mapping was written
};

/// Given mappings; layers with the same shape and the same mapping are one.
std::vector<Replayed> replayed(const Network& network, const std::vector<LayerMapping>& mappings);
/// What a search found.
std::vector<Replayed> replayed(const NetworkProblem& problem, const NetworkAnswer& answer);

/// What a report calls the simulated memory: "DDR4-2400", with its controller where that is not the usual one; or "".
std::string memory_name(const sim::MachineOptions& machine);

struct SimulationControl {
    int threads = 0;     ///< 0: all there are
    bool trace = false;  ///< what was busy when, for pictures
    const StopSource* stop = nullptr;
    /// Name of a layer, steps that are done, steps there are. Calls come from any thread, several at once.
    std::function<void(const std::string&, std::int64_t, std::int64_t)> progress = {};
};

/// In the order of `layers`; what could not be simulated says why in its `failure`. Requires
/// problem_with(machine).empty() and a floor with the elements of the architecture.
std::vector<report::SimulatedLayer> simulate_layers(const std::vector<Replayed>& layers,
                                                    const Architecture& architecture, const sim::Floor& floor,
                                                    const sim::MachineOptions& machine,
                                                    const SimulationControl& control = {});

}  // namespace tilewright
