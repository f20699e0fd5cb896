// Cycles of a simulated run against the expected ones, term by term; and the most underestimated term.
//
// Derived from the simulation's counts. The terms of a run add up to its cycles, those of the model to the model's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/simulation/schedule_replay.hpp"
#include "report/simulation/simulation.hpp"

namespace tilewright::report {

// A part of the cycles of a run: as expected, and as simulated.

struct Term {
    std::string name;
    double model_cycles = 0.0;
    double simulated_cycles = 0.0;
    bool known = false;  ///< always equal to the model if present: never named

    double beyond() const { return simulated_cycles - model_cycles; }
    bool operator==(const Term&) const = default;
};

/// Of a mapping, mean over the elements that compute: computing, waiting for others (those with work in a step without
/// work for this element, far behind its next one, or unfinished at its end), filling (until its first computation),
/// waiting for words by cause, draining (after the last computation). Waiting for a simulated DRAM is divided in
/// proportion to its clocks by cause.
std::vector<Term> terms_of(const SimulatedLayer& layer);

/// Of a schedule: its critical path. Time of transfers beyond that of their bytes on a channel is divided in proportion
/// to its causes over all transfers.
std::vector<Term> terms_of(const ReplayedLayer& layer, const sim::npu::ReplayOptions& options);

/// The term most above the model; nothing if the total exceeds it by at most a hundredth.
std::optional<Term> underestimated(const std::vector<Term>& terms);

/// "links, 43.1 %": the term, and its share of the simulated cycles above the model; "" for none.
std::string underestimated_text(const std::vector<Term>& terms);

// Simulated runs for spreadsheets: one tidy row per layer and term.
//
//     network,architecture,memory,layer,repeats,term,model_cycles,simulated_cycles
//
// The terms of a layer add up to its cycles, of one run; `not_simulated` stands for a layer without them.

std::string simulation_csv(const Simulation& simulation);
/// Of schedules, without a network: that column is empty.
std::string replay_csv(const ScheduleReplay& replay);

}  // namespace tilewright::report
