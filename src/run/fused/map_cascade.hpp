// The best fused mapping of a cascade on a machine, as `tilewright map --fuse` finds it.
//
//     const report::FusionReport found = map_fused(zoo_cascade("bert-base"), Machine::named("fused-npu"));
//     if (found.proven) std::cout << found.mapping;
//
// Values in, values out; thread-safe. docs/fusion.md says what the space is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.hpp"
#include "model/objective.hpp"
#include "report/fused/fusion_report.hpp"
#include "run/machine.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright {

struct FusedOptions {
    Objective objective = {};                       ///< energy, latency, their product, or pareto
    int threads = 0;                                ///< 0: all there are; does not change the answer
    std::optional<double> time_limit_seconds = {};  ///< of wall clock; and as much again for each of `buffers`
    std::vector<std::int64_t> buffers = {};         ///< sizes in words at which the fewest DRAM words are asked for
    PartialBits partial = {};                       ///< by tensor: bits of partial sums; empty: as of final ones
    std::string dashes = {};                        ///< before the names of options in sentences
};

/// The best so far.
struct FusedProgress {
    bool found = false;  ///< there is one:
    std::int64_t groups = 0;
    double energy_pj = 0.0;
    std::int64_t cycles = 0;
    double bound = 0.0;  ///< no fused mapping has a lower value of the objective; 0: not known yet
};

struct FusedControl {
    const StopSource* stop = nullptr;  ///< once requested, the best so far is the answer
    std::function<void(const FusedProgress&)> progress = {};
};

/// With its `mapping` "" where none was found: nothing fits, or it was stopped before
/// (`interrupted`). Its provenance has the version, what was read of the machine and the options; a caller who read
/// files adds those. Throws InputError(usage) for what is not searched, OverflowError.
report::FusionReport map_fused(const Cascade& cascade, const Machine& machine, const FusedOptions& options = {},
                               const FusedControl& control = {});

}  // namespace tilewright
