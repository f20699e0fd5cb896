// The best fused mappings of a plan's parts: the runs of einsums that may share loops, each kind searched once.
//
//     const FusedParts fused = fuse_parts(plan, machine, options, &stop);
//     const std::vector<llm::PhaseCosts> costs = costs_of(plan, answer, machine, fused);
//
// Threads search side by side. The answers do not depend on their number, but for a time limit and a stop.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.hpp"
#include "run/llm/serve.hpp"
#include "run/options.hpp"

namespace tilewright {

/// Einsums of a part that run together, in one of its repeats.
struct FusedGroup {
    int first = 0;  ///< first .. last, by their numbers in the part
    int last = 0;
    double seconds = 0.0;
    double attention_seconds = 0.0;  ///< of these: leaves of attention's einsums, and stores whose readers they are
    double energy_pj = 0.0;
    std::string bound;  ///< memory that takes most of the part's time; "compute": none takes more than the units
};

struct FusedPart {
    std::vector<FusedGroup> groups;  ///< in order; empty: nothing fits, or the search was stopped before
    double value = 0.0;              ///< of the objective, in pJ and cycles
    double bound = 0.0;              ///< no fused mapping of the part has a lower one
    bool proven = false;
};

struct FusedParts {
    Objective objective;
    std::vector<FusedPart> parts;  ///< by part of ServingPlan::fused; empty: fusion was not asked for
    bool interrupted = false;      ///< `stop` was requested
};

/// Of `options` the objective, threads and the time limit count: what is left of it is shared by the searches as they
/// begin. `tell`: of ended searches, one at a time, from any thread. Throws InputError(usage) for machines, objectives
/// and parts that are not searched, OverflowError.
FusedParts fuse_parts(const ServingPlan& plan, const ServingMachine& machine, const MapOptions& options,
                      const StopSource* stop = nullptr, const std::function<void(std::size_t ended)>& tell = {});

/// Of how many steps how much the fusion brings, and the interval of searches without a proof. "" without fusion.
std::string fusion_note(const FusedParts& fused, const std::vector<llm::PhaseCosts>& points);

}  // namespace tilewright
