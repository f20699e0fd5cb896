// Evaluation: what one mapping costs, down to each tensor at each memory. Every accounting fills the same form.
//
// Counts are totals over all instances, in words. They are whole numbers except where a bypassed memory rescales the
// traffic of the memory outside it (docs/model.md, rule 6), which is why they are doubles; doubles hold whole
// numbers exactly up to 2^53. Energies are pJ, areas um2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// One tensor at one memory.
struct TensorTraffic {
    bool kept = false;
    std::int64_t tile_words = 0;  ///< per instance, the largest tile
    double reads = 0.0;           ///< words read to serve the inside, incl. partial sums read back to be added to
    double fills = 0.0;           ///< words written from outside
    double updates = 0.0;         ///< words written from inside
    double instances = 1.0;       ///< instances in use (an average under Timeloop's accounting of imperfect nests)
    double address_generations = 0.0;
    double energy_pj = 0.0;  ///< of reads, fills and updates
    double address_energy_pj = 0.0;
    double read_words_per_cycle = 0.0;  ///< per instance, as delivered (after throttling)
    double write_words_per_cycle = 0.0;
    double bandwidth_share = 1.0;  ///< words of the memory that a word of the tensor takes of its bandwidth
};

/// One tensor on the link below one memory.
struct LinkTraffic {
    double words = 0.0;      ///< sent (or, for results, received) by the memory; a multicast counts once; all instances
    double delivered = 0.0;  ///< copies that arrive below
    double passing = 0.0;    ///< words past the link's passages: sent, or requested through a bypassed memory
    double link_transfers = 0.0;  ///< words passed between neighbours instead (Timeloop's accounting only)
    double spatial_reductions = 0.0;
    double hops = 0.0;  ///< sum over words of the hops each travelled
    double energy_pj = 0.0;
    double multicast() const { return words > 0.0 ? delivered / words : 0.0; }
};

enum class Bound { compute, read_bandwidth, write_bandwidth, shared_bandwidth };

struct MemoryEvaluation {
    std::string name;
    std::vector<TensorTraffic> tensors;  ///< by tensor index
    std::vector<LinkTraffic> link;       ///< by tensor index
    std::int64_t used_words = 0;         ///< per instance
    std::int64_t cycles = 0;             ///< what this memory alone would need, at least the compute cycles
    double slowdown = 1.0;               ///< <= 1: compute cycles / cycles
    Bound bound = Bound::compute;        ///< what makes `cycles` exceed the compute cycles
    double leakage_pj = 0.0;
    double energy_pj = 0.0;  ///< accesses, address generation, leakage (without the link)
    double link_energy_pj = 0.0;
    double area_um2 = 0.0;  ///< all instances
};

struct Evaluation {
    std::int64_t computes = 0;        ///< multiply-accumulates
    std::int64_t compute_cycles = 0;  ///< if no memory were too slow
    std::int64_t cycles = 0;
    double utilization = 0.0;  ///< computes / (units * cycles)
    double energy_pj = 0.0;
    double compute_energy_pj = 0.0;
    double compute_leakage_pj = 0.0;
    std::int64_t compute_units_used = 0;
    double area_um2 = 0.0;
    std::int64_t link_latency_cycles = 0;
    std::vector<MemoryEvaluation> memories;  ///< outermost first, as in the architecture
    /// Index of the memory that bounds the latency, -1 when the compute units do.
    int bounding_memory = -1;

    double edp_pj_cycles() const { return energy_pj * static_cast<double>(cycles); }
};

}  // namespace tilewright
