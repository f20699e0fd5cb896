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

}  // namespace tilewright
