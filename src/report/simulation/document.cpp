#include "report/simulation/document.hpp"

#include "report/json_parts.hpp"
#include "report/simulation/fields.hpp"

namespace tilewright::document {
namespace {

std::optional<std::string> most_underestimated(bool interrupted, const std::vector<report::Term>& terms) {
    const std::optional<report::Term> most = interrupted ? std::nullopt : report::underestimated(terms);
    return most ? std::optional(most->name) : std::nullopt;
}

std::vector<LinkUse> links_of(const report::SimulatedLayer& layer) {
    const sim::ReplayResult& r = layer.result;
    std::vector<LinkUse> links;
    for (std::size_t i = 0; i < r.flits.size(); ++i) {
        if (r.flits[i] == 0) continue;
        const double share = r.cycles > 0 ? static_cast<double>(r.flits[i]) / static_cast<double>(r.cycles) : 0.0;
        const report::LinkLoad link{static_cast<int>(i) / sim::kPorts, static_cast<int>(i) % sim::kPorts, share};
        links.push_back({link_name(layer.floor, link), r.flits[i], share});
    }
    return links;
}

SimulatedRun run_of(const report::SimulatedLayer& layer) {
    const sim::ReplayResult& r = layer.result;
    SimulatedRun run;
    run.model_cycles = layer.evaluation.cycles;
    run.model_bound = report::bound_sentence(layer.evaluation);
    run.cycles = r.cycles;
    run.steps = r.steps;
    run.steps_done = r.steps_done;
    run.interrupted = r.interrupted;
    run.extrapolated = r.extrapolated;
    run.elements = layer.floor.elements();
    run.time = r.elements;
    run.busiest = report::busiest_of(layer);
    run.terms = report::terms_of(layer);
    run.underestimated = most_underestimated(r.interrupted, run.terms);
    run.packets = r.packets;
    run.bank_conflicts = r.bank_conflicts;
    run.links = links_of(layer);
    if (r.dram_energy_pj || r.dram.row_hits + r.dram.row_misses > 0)
        run.dram = DramUse{r.dram_reads, r.dram_writes, r.dram.of(sim::dram::Command::activate),
                           r.dram.of(sim::dram::Command::refresh), r.dram_energy_pj};
    return run;
}

ReplayedRun run_of(const report::ReplayedLayer& layer, const sim::npu::ReplayOptions& options) {
    const sim::npu::Replay& r = layer.result;
    ReplayedRun run;
    run.scheduled_cycles = layer.scheduled_cycles;
    run.ideal_cycles = r.ideal_cycles;
    run.cycles = r.cycles;
    run.steps = layer.activities;
    run.steps_done = r.done;
    run.interrupted = r.interrupted;
    run.terms = report::terms_of(layer, options);
    run.underestimated = most_underestimated(r.interrupted, run.terms);
    run.path = r.path;
    run.cores = layer.problem.machine.cores;
    run.core_time = r.cores;
    run.channels = layer.problem.machine.dma_channels;
    run.channel_cycles = r.channel_cycles;
    run.moved_bytes = r.moved_bytes;
    if (options.dram)
        run.dram = ReplayDram{options.dram->organisation.access_bytes(),
                              r.dram_reads,
                              r.dram_writes,
                              r.dram.row_hits,
                              r.dram.row_misses,
                              r.dram.row_conflicts,
                              r.dram.of(sim::dram::Command::refresh),
                              r.dram_energy_pj};
    return run;
}

}  // namespace

Simulation document_of(const report::Simulation& simulation) {
    Simulation out{simulation.provenance, simulation.architecture.name, simulation.network,
                   simulation.memory,     simulation.interrupted,       {},
                   simulation.notes};
    for (const report::SimulatedLayer& layer : simulation.layers) {
        SimulatedLayer& one = out.layers.emplace_back(SimulatedLayer{layer.names, layer.repeats, layer.failure, {}});
        if (layer.failure.empty()) one.run = run_of(layer);
    }
    return out;
}

ScheduleReplay document_of(const report::ScheduleReplay& replay) {
    const sim::npu::ReplayOptions& options = replay.options;
    ScheduleReplay out{replay.provenance,
                       replay.machine.name,
                       options.dram ? options.dram->name : "",
                       options.clock_ghz,
                       options.layout,
                       replay.interrupted,
                       {},
                       replay.notes};
    for (const report::ReplayedLayer& layer : replay.layers) {
        ReplayedLayer& one = out.layers.emplace_back(ReplayedLayer{layer.names, layer.repeats, layer.failure, {}});
        if (layer.failure.empty()) one.run = run_of(layer, options);
    }
    return out;
}

}  // namespace tilewright::document

namespace tilewright::report {

std::string simulation_json(const Simulation& simulation) {
    return dumped(yaml::Writer::write(document::document_of(simulation)));
}

std::string replay_json(const ScheduleReplay& replay) {
    return dumped(yaml::Writer::write(document::document_of(replay)));
}

}  // namespace tilewright::report
