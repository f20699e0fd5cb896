// What a mapping costs in time on a machine as built, beside the plain model's cycles: systolic arrays with their DMA,
// or kernels on a GPU (silicon).
//
// Free functions on values; thread-safe.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/layer_problem.hpp"
#include "report/report.hpp"
#include "run/map_network.hpp"
#include "silicon/files/silicon.hpp"
#include "silicon/kernels/product.hpp"
#include "silicon/systolic/latency.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

struct PhysicalLatency {
    double cycles = 0.0;  ///< of the architecture's clock
    double us = 0.0;
    std::string bound;  ///< what most of it goes into: "load", "memory", ...
};

/// A text says why the machine's model does not know the layer or the mapping: on a machine of kernels, that none of
/// them makes such blocks.
std::variant<PhysicalLatency, std::string> physical_latency(const Einsum& einsum, const Architecture& architecture,
                                                            const Mapping& mapping, const silicon::Silicon& silicon);

/// Whether most of it goes into moving words.
bool waits_for_memory(const PhysicalLatency& latency);

/// What the model leaves out, and how far such predictions were off where they were measured.
std::vector<std::string> physical_caveats(const silicon::Silicon& silicon);

/// Of cycles found by the models of silicon.
PhysicalLatency physical_latency(const silicon::SystolicLatency& latency, const Architecture& architecture);
PhysicalLatency physical_latency(const silicon::ProductLatency& latency, const Architecture& architecture);

// The time as built in place of the plain model's latency, in all that a report is written from.
//
//     take_time_as_built(*machine.silicon(), report);
//     report::totals(report).cycles;    // as built
//
// Free functions on values; thread-safe.

/// `plain` with another latency: cycles, utilization, and what leaks meanwhile. Counts and the energies of accesses and
/// operations stay; no memory of the plain model bounds it.
Evaluation with_cycles(const Evaluation& plain, const Architecture& architecture, std::int64_t cycles);

/// Why no time as built is known of such layers, whatever their mapping, from the table of capabilities
/// (run/composition.hpp); "" where nothing speaks against it.
std::string why_not_as_built(const LayerProblem& problem);

/// Every mapped layer has the time that its mapping takes as built; where the machine's model does not know that, or
/// `not_as_built` of the layer says already why not, its time stays the plain model's. The notes say which layers those
/// are, and what predictions leave out.
void take_time_as_built(const silicon::Silicon& silicon, report::Report& report);

/// What stands beside the plain latencies that map() found for `problem`: "as built (docs/silicon.md) these mappings
/// take 1,234 cycles (1.234 us); ..."; nothing where its words have no such time.
std::vector<std::string> time_as_built_notes(const silicon::Silicon& silicon, const NetworkProblem& problem,
                                             report::Report report);

}  // namespace tilewright
