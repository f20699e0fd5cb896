#include "run/simulate/simulate_network.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

#include "base/threads.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "sim/machine/cosa/cosa_replay.hpp"

namespace tilewright {
namespace {

// Reason a mapping cannot be simulated, or "".
std::string problem_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                       const MappingPlaces& places, const sim::Floor& floor, const sim::MachineOptions& machine) {
    const std::vector<Violation> violations = check(einsum, architecture, mapping);
    if (!violations.empty()) return placed_text(violations.front(), places);
    if (!mapping.options.empty()) return "the mapping sets accounting switches, which a machine does not have";
    return machine.cosa_network ? sim::problem_with_cosa_program(einsum, architecture, mapping, floor)
                                : sim::problem_with_program(einsum, architecture, mapping);
}

class Replays {
   public:
    Replays(const Architecture& architecture, const sim::Floor& floor, const sim::MachineOptions& machine,
            const SimulationControl& control)
        : architecture_(architecture), floor_(floor), machine_(machine), control_(control) {}

    report::SimulatedLayer replay(const Replayed& subject) const {
        report::SimulatedLayer layer{.names = subject.names,
                                     .repeats = subject.repeats,
                                     .einsum = subject.einsum,
                                     .evaluation = {},
                                     .floor = {},
                                     .result = {},
                                     .failure = subject.failure};
        if (!layer.failure.empty()) return layer;
        if (control_.stop != nullptr && control_.stop->requested()) {
            layer.failure = "interrupted before it was simulated";
            return layer;
        }
        layer.failure = problem_of(layer.einsum, architecture_, *subject.mapping, subject.places, floor_, machine_);
        if (layer.failure.empty()) run(subject, layer);
        return layer;
    }

   private:
    void run(const Replayed& subject, report::SimulatedLayer& layer) const {
        const Mapping& mapping = *subject.mapping;
        try {
            layer.evaluation = evaluate(layer.einsum, architecture_, mapping);
            layer.floor = floor_;
            sim::ReplayControl replay;
            replay.stop = control_.stop;
            replay.trace = control_.trace;
            replay.most_cycles = subject.most_cycles;
            replay.progress = [&](std::int64_t done, std::int64_t steps) {
                if (control_.progress) control_.progress(layer.names.front(), done, steps);
            };
            if (machine_.cosa_network) {
                layer.result = sim::replay_on_cosa(sim::cosa_program(layer.einsum, architecture_, mapping, floor_),
                                                   floor_, machine_, replay);
                return;
            }
            sim::Program program = sim::program_of(layer.einsum, architecture_, mapping, control_.stop);
            program.floor = floor_;
            layer.result = sim::replay(layer.einsum, architecture_, program, layer.evaluation, machine_, replay);
        } catch (const sim::Interrupted&) {
            layer.failure = "interrupted before its steps were known";
        }
    }

    const Architecture& architecture_;
    const sim::Floor& floor_;
    const sim::MachineOptions& machine_;
    const SimulationControl& control_;
};

}  // namespace

std::string memory_name(const sim::MachineOptions& machine) {
    if (!machine.dram && !machine.cosa_network) return "";
    const sim::dram::MemoryOptions& options = machine.dram_options;
    const sim::OneReadMemory memory = machine.cosa_network
                                          ? sim::cosa_memory(machine, 0)
                                          : sim::OneReadMemory{.device = *machine.dram, .options = options};
    const bool in_turn = memory.options.controller.scheduling == sim::dram::Scheduling::round_robin;
    return memory.device.name + (in_turn ? " (round-robin controller)" : "") +
           (machine.cosa_network ? ", one read outstanding, CoSA's network" : "");
}

std::vector<Replayed> replayed(const Network& network, const std::vector<LayerMapping>& mappings) {
    std::vector<Replayed> all;
    for (const auto& [index, mapping, places] : mappings) {
        const Layer& layer = network.layers[index];
        const auto same = std::find_if(all.begin(), all.end(), [&, &given = mapping](const Replayed& one) {
            return one.einsum.dimensions == layer.einsum.dimensions && one.einsum.tensors == layer.einsum.tensors &&
                   *one.mapping == given;
        });
        if (same == all.end()) {
            all.push_back({.names = {layer.name},
                           .repeats = layer.repeats,
                           .einsum = layer.einsum,
                           .mapping = mapping,
                           .places = places});
        } else {
            same->names.push_back(layer.name);
            same->repeats += layer.repeats;
        }
    }
    return all;
}

std::vector<Replayed> replayed(const NetworkProblem& problem, const NetworkAnswer& answer) {
    std::vector<Replayed> all;
    for (std::size_t i = 0; i < problem.shapes.size(); ++i) {
        const ShapeProblem& shape = problem.shapes[i];
        const LayerAnswer& layer = answer.layers[i];
        all.push_back(
            {shape.names, shape.repeats, layer.einsum, layer.mapping, layer.mapping ? "" : "no mapping was found"});
    }
    return all;
}

std::vector<report::SimulatedLayer> simulate_layers(const std::vector<Replayed>& layers,
                                                    const Architecture& architecture, const sim::Floor& floor,
                                                    const sim::MachineOptions& machine,
                                                    const SimulationControl& control) {
    require_threads(control.threads);
    const Replays replays(architecture, floor, machine, control);
    const int threads = control.threads > 0 ? control.threads : tbb::info::default_concurrency();
    std::vector<report::SimulatedLayer> simulated(layers.size());
    std::atomic<std::size_t> begun{0};
    tbb::task_arena arena(threads);
    arena.execute([&] {
        tbb::parallel_for(0, std::min(threads, static_cast<int>(layers.size())), [&](int) {
            for (std::size_t i = begun++; i < layers.size(); i = begun++) simulated[i] = replays.replay(layers[i]);
        });
    });
    return simulated;
}

}  // namespace tilewright
