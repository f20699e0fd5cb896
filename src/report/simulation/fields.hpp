// The fields of simulation.json (yaml/archive.hpp). Internal to report/.
#pragma once

#include "report/machine_fields.hpp"
#include "report/simulation/document.hpp"

namespace tilewright::report {

template <typename Archive, yaml::Of<Term> T>
void fields(Archive& archive, T& term) {
    archive.name("Term");
    archive("term", term.name);
    archive("model_cycles", term.model_cycles);
    archive("simulated_cycles", term.simulated_cycles);
}

}  // namespace tilewright::report

namespace tilewright::document {

template <typename Archive, typename Run>
void list_terms(Archive& archive, Run& run) {
    archive.where(true, "terms", run.terms,
                  "what the cycles of the simulation and of the model went to; they add up to these");
    archive.also("underestimated", run.underestimated,
                 "the term that is most above the model; null when all together are above it by a hundredth at most");
}

/// `run`: the fields of a layer that was simulated.
template <typename Archive, typename Layer>
void list_layer(Archive& archive, Layer& layer, const char* first_of_run) {
    archive("names", layer.names, "of the layers of this shape, in network order");
    archive("repeats", yaml::Positive{layer.repeats});
    archive.where_any("failure", layer.failure, "why it was not simulated; then there is nothing else");
    archive.part(first_of_run, layer.run);
}

template <typename Archive, yaml::Of<LinkUse> T>
void fields(Archive& archive, T& use) {
    archive("link", use.link);
    archive.also("flits", yaml::Positive{use.flits});
    archive("share", use.share, "of the cycles in which a flit left by it");
}

template <typename Archive, yaml::Of<DramUse> T>
void fields(Archive& archive, T& use) {
    archive("reads", use.reads);
    archive("writes", use.writes);
    archive("activations", use.activations);
    archive("refreshes", use.refreshes);
    archive("energy_pj", use.energy_pj);
}

template <typename Archive, yaml::Of<SimulatedRun> T>
void fields(Archive& archive, T& run) {
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

template <typename Archive, yaml::Of<SimulatedLayer> T>
void fields(Archive& archive, T& layer) {
    archive.name("Layer");
    list_layer(archive, layer, "model_cycles");
}

template <typename Archive, yaml::Of<Simulation> T>
void fields(Archive& archive, T& simulation) {
    begin(archive, "tilewright-simulation/1", simulation.provenance);
    archive("architecture", simulation.architecture);
    archive("network", simulation.network);
    archive.also("memory", simulation.memory,
                 "the simulated DRAM; \"\" where the outermost memory is as fast as the architecture says");
    archive.also("interrupted", simulation.interrupted, "a layer may be cut short, or not be there");
    archive("layers", simulation.layers);
    archive.also("notes", simulation.notes);
}

template <typename Archive, yaml::Of<ReplayDram> T>
void fields(Archive& archive, T& dram) {
    archive("access_bytes", dram.access_bytes);
    archive("reads", dram.reads, "accesses");
    archive("writes", dram.writes, "accesses");
    archive("row_hits", dram.row_hits);
    archive("row_misses", dram.row_misses, "the bank was closed");
    archive("row_conflicts", dram.row_conflicts, "another row was open");
    archive("refreshes", dram.refreshes);
    archive("energy_pj", dram.energy_pj);
}

template <typename Archive, typename Run>
void list_path(Archive& archive, Run& run) {
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

template <typename Archive, typename Run>
void list_machine(Archive& archive, Run& run) {
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

template <typename Archive, yaml::Of<ReplayedRun> T>
void fields(Archive& archive, T& run) {
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

template <typename Archive, yaml::Of<ReplayedLayer> T>
void fields(Archive& archive, T& layer) {
    archive.name("Layer");
    list_layer(archive, layer, "scheduled_cycles");
}

template <typename L>
yaml::Choice<L> layout_choice(L& layout) {
    yaml::Choice<L> choice{layout, {}};
    for (std::size_t i = 0; i < sim::npu::kLayoutNames.size(); ++i)
        choice.names.emplace_back(static_cast<sim::npu::Layout>(i), sim::npu::kLayoutNames[i]);
    return choice;
}

template <typename Archive, yaml::Of<ScheduleReplay> T>
void fields(Archive& archive, T& replay) {
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
