// What a simulated run took beside what was expected of it, term by term; and which term was expected to take too
// little.
//
// Everything is derived from what the simulation counted. The terms of a run add up to its cycles, those of the model
// to the model's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/simulation/schedule_replay.hpp"
#include "report/simulation/simulation.hpp"
#include "report/simulation/term.hpp"

namespace tilewright::report {

/// Of a mapping, on average over the elements that compute: computing, waiting for others (they are at a step in which
/// an element has nothing to do, or far behind its next one, or not done when it is), filling (until its first
/// computation), waiting for words by what they waited for, draining (after the last computation). What waits for a
/// simulated DRAM is divided in proportion to what its clocks went to.
std::vector<Term> terms_of(const SimulatedLayer& layer);

/// Of a schedule: its critical path. What transfers take beyond the time of their bytes on a channel is divided in
/// proportion to what that time went to over all transfers.
std::vector<Term> terms_of(const ReplayedLayer& layer, const sim::npu::ReplayOptions& options);

/// The term that is most above the model; nothing when all of them together are above it by a hundredth at most.
std::optional<Term> underestimated(const std::vector<Term>& terms);

/// "links, 43.1 %": the term, and by how much of the simulated cycles it is above the model; "" for none.
std::string underestimated_text(const std::vector<Term>& terms);

}  // namespace tilewright::report
