// The judge of the cost model: walks every iteration of a small nest and counts with sets. Slow and simple on purpose;
// shares no code with the closed forms.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright::oracle {

struct Traffic {
    bool kept = false;
    std::int64_t tile_words = 0;
    double reads = 0.0;
    double fills = 0.0;
    double updates = 0.0;
    double link_words = 0.0;      ///< accesses of the memory towards the inside, a multicast once
    double link_delivered = 0.0;  ///< copies that arrive
    double link_hops = 0.0;       ///< words times wires they pass; also below memories that the tensor passes by
};

struct Counts {
    std::int64_t computes = 0;
    std::int64_t compute_cycles = 0;             ///< time steps when all units work in lock-step
    std::vector<std::vector<Traffic>> memories;  ///< [memory, outermost first][tensor]
    std::vector<std::int64_t> instances;         ///< [memory] distinct instances that were visited
    std::int64_t compute_units = 0;              ///< distinct units that computed
};

/// Requires a mapping whose factors cover the einsum, even or (without remainders) uneven: then once per tensor. Work
/// grows with the number of iterations. `resumed`: results that hold partial sums before the run begins.
Counts walk(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping, TensorSet resumed = {});

}  // namespace tilewright::oracle
