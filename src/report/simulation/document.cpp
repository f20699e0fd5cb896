#include "report/simulation/document.hpp"

#include "report/document.hpp"
#include "report/fields.hpp"

namespace tilewright::report {

void fields(yaml::Archive& archive, Term& term) {
    archive.name("Term");
    archive("term", term.name);
    archive("model_cycles", term.model_cycles);
    archive("simulated_cycles", term.simulated_cycles);
}

}  // namespace tilewright::report

namespace tilewright::document {

template <typename Run>
void list_terms(yaml::Archive& archive, Run& run) {
    archive.where(true, "terms", run.terms,
                  "what the cycles of the simulation and of the model went to; they add up to these");
    archive.also("underestimated", run.underestimated,
                 "the term that is most above the model; null when all together are above it by a hundredth at most");
}

template <typename Layer>
void list_layer(yaml::Archive& archive, Layer& layer, const char* first_of_run) {
    archive("names", layer.names, "of the layers of this shape, in network order");
    archive("repeats", yaml::Positive{layer.repeats});
    archive.where_any("failure", layer.failure, "why it was not simulated; then there is nothing else");
    archive.part(first_of_run, layer.run);
}

void fields(yaml::Archive& archive, LinkUse& use) {
    archive("link", use.link);
    archive.also("flits", yaml::Positive{use.flits});
    archive("share", use.share, "of the cycles in which a flit left by it");
}

void fields(yaml::Archive& archive, DramUse& use) {
    archive("reads", use.reads);
    archive("writes", use.writes);
    archive("activations", use.activations);
    archive("refreshes", use.refreshes);
    archive("energy_pj", use.energy_pj);
}

void fields(yaml::Archive& archive, SimulatedRun& run) {
    archive("model_cycles", run.model_cycles, "of the analytical model");
    archive.also("model_bound", run.model_bound, "what bounds the model's latency");
    archive("cycles", run.cycles, "simulated");
    archive.also("steps", run.steps, "of the temporal loops outside the array");
    archive.also("steps_done", run.steps_done);
    archive("interrupted", run.interrupted);
    archive.also("extrapolated", run.extrapolated, "the steps repeat, and only some were simulated");
    archive.group(
        "elements",
        [&](auto& elements) {
            elements("count", run.elements);
            elements("computing_cycles", run.time.computing);
            elements("waiting_cycles", run.time.waiting_for_words, "a step was due and its words were not there");
            elements.also("waiting_for_others_cycles", run.time.waiting_for_others,
                          "the others were at a step that the element sat out, or far behind its next one");
            elements("other_cycles", run.time.other,
                     "after an element's last computation; all of one that never computes");
        },
        "cycles summed over all elements");
    archive.group("busiest", [&](auto& busiest) {
        busiest("what", run.busiest.what);
        busiest("share", run.busiest.share, "of the cycles");
    });
    list_terms(archive, run);
    archive.also("packets", run.packets);
    archive.where(run.bank_conflicts > 0, "bank_conflicts", run.bank_conflicts,
                  "packets that had to wait for a bank of a memory; absent when none had, or banks were not simulated");
    archive.also("links", run.links, "those that were used");
    archive.where_any("dram", run.dram);
}

void fields(yaml::Archive& archive, SimulatedLayer& layer) {
    archive.name("Layer");
    list_layer(archive, layer, "model_cycles");
}

void fields(yaml::Archive& archive, Simulation& simulation) {
    begin(archive, "tilewright-simulation/1", simulation.provenance);
    archive("architecture", simulation.architecture);
    archive("network", simulation.network);
    archive.also("memory", simulation.memory,
                 "the simulated DRAM; \"\" where the outermost memory is as fast as the architecture says");
    archive.also("interrupted", simulation.interrupted, "a layer may be cut short, or not be there");
    archive("layers", simulation.layers);
    archive.also("notes", simulation.notes);
}

void fields(yaml::Archive& archive, ReplayDram& dram) {
    archive("access_bytes", dram.access_bytes);
    archive("reads", dram.reads, "accesses");
    archive("writes", dram.writes, "accesses");
    archive("row_hits", dram.row_hits);
    archive("row_misses", dram.row_misses, "the bank was closed");
    archive("row_conflicts", dram.row_conflicts, "another row was open");
    archive("refreshes", dram.refreshes);
    archive("energy_pj", dram.energy_pj);
}

template <typename Run>
void list_path(yaml::Archive& archive, Run& run) {
    archive.group(
        "path",
        [&](auto& path) {
            path("computing_cycles", run.path.computing);
            path("moving_cycles", run.path.moving, "transfers, as long as a channel takes for their bytes");
            path("memory_cycles", run.path.memory, "what these transfers took beyond that");
            path("draining_cycles", run.path.draining, "writes under way in the memory after the last transfer");
        },
        "what the cycles went to, one after the other: each thing that what came after it waited for. Together they "
        "are the cycles");
}

template <typename Run>
void list_machine(yaml::Archive& archive, Run& run) {
    archive.group(
        "cores",
        [&](auto& cores) {
            cores("count", run.cores);
            cores("computing_cycles", run.core_time.computing);
            cores("waiting_for_words_cycles", run.core_time.waiting_for_words,
                  "the next operation lacked an operand that was to be loaded");
            cores("waiting_for_room_cycles", run.core_time.waiting_for_room, "or a place for its result");
            cores("other_cycles", run.core_time.other, "it waited for other operations, or there was none");
        },
        "summed over the cores; together they are count * cycles");
    archive.group("channels", [&](auto& channels) {
        channels("count", run.channels);
        channels("busy_cycles", run.channel_cycles, "with a transfer under way, summed over the channels");
    });
    archive.group(
        "moved_bytes",
        [&](auto& moved) {
            for (std::size_t kind = 0; kind < run.moved_bytes.size(); ++kind)
                moved(schedule::kTransferKindNames[kind], run.moved_bytes[kind]);
        },
        "over the channels: those of the schedule");
}

void fields(yaml::Archive& archive, ReplayedRun& run) {
    archive("scheduled_cycles", run.scheduled_cycles, "the latency of the schedule");
    archive("ideal_cycles", run.ideal_cycles,
            "with a memory that keeps every channel busy; fewer than scheduled where the schedule waits for nothing");
    archive("cycles", run.cycles, "simulated, until the memory has everything");
    archive("steps", run.steps, "transfers and operations of the schedule");
    archive("steps_done", run.steps_done);
    archive("interrupted", run.interrupted);
    list_terms(archive, run);
    list_path(archive, run);
    list_machine(archive, run);
    archive.where_any("dram", run.dram, "of a simulated DRAM");
}

void fields(yaml::Archive& archive, ReplayedLayer& layer) {
    archive.name("Layer");
    list_layer(archive, layer, "scheduled_cycles");
}

yaml::Choice<sim::npu::Layout> layout_choice(sim::npu::Layout& layout) {
    yaml::Choice<sim::npu::Layout> choice{layout, {}};
    for (std::size_t i = 0; i < sim::npu::kLayoutNames.size(); ++i)
        choice.names.emplace_back(static_cast<sim::npu::Layout>(i), sim::npu::kLayoutNames[i]);
    return choice;
}

void fields(yaml::Archive& archive, ScheduleReplay& replay) {
    begin(archive, "tilewright-schedule-replay/1", replay.provenance);
    archive("machine", replay.machine);
    archive.also("memory", replay.memory, "the simulated DRAM; \"\": an ideal one");
    archive("clock_ghz", replay.clock_ghz);
    archive("layout", layout_choice(replay.layout), "how tensors lie in the DRAM");
    archive.also("interrupted", replay.interrupted, "a layer may be cut short, or not be there");
    archive("layers", replay.layers);
    archive.also("notes", replay.notes);
}

}  // namespace tilewright::document

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
    return dumped(yaml::place_of(document::document_of(simulation)));
}

std::string replay_json(const ScheduleReplay& replay) { return dumped(yaml::place_of(document::document_of(replay))); }

}  // namespace tilewright::report
