#include "verbs/schedule/simulation.hpp"

#include <fmt/format.h>

#include "output/output.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"

namespace tilewright::cli {

void simulate_mappings(const std::vector<Replayed>& layers, const SimulationWork& work,
                       report::Simulation& simulation) {
    StopSource stop;
    StatusLine line(!work.quiet);
    const Interrupt interrupt(stop);
    SimulationControl control;
    control.threads = work.threads;
    control.trace = work.trace;
    control.stop = &stop;
    control.progress = [&](const std::string& layer, std::int64_t done, std::int64_t steps) {
        line.show(fmt::format("{}: step {} of {}", layer, done, steps));
    };
    simulation.layers = simulate_layers(layers, simulation.architecture, work.floor, work.machine, control);
    line.clear();
    simulation.interrupted = simulation.interrupted || interrupt.happened();
}

ExitStatus finish_simulation(const report::Simulation& simulation) {
    if (simulation.interrupted) return ExitStatus::interrupted;
    ExitStatus status = ExitStatus::done;
    for (const report::SimulatedLayer& layer : simulation.layers) {
        if (layer.failure.empty()) continue;
        print_error("error: " + layer.names.front() + ": " + layer.failure);
        status = ExitStatus::no_answer;
    }
    return status;
}

}  // namespace tilewright::cli
