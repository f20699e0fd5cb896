// The result of a run of Tilewright as one value: the source of every report (text, JSON).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.hpp"
#include "model/layer_answer.hpp"
#include "sparse/costs.hpp"
#include "workload/network.hpp"

namespace tilewright::report {

/// A file (or zoo entry) read, and the XXH3-128 hash of its bytes.
struct Input {
    std::string name;
    std::string xxh3;
};

/// All inputs that reproduce the numbers. No times, no threads: equal inputs, options and seed give equal bytes.
struct Provenance {
    std::string tool_version;
    std::string command;               ///< the verb
    std::string accounting = "exact";  ///< the counting rules
    std::vector<Input> inputs;
    std::optional<std::uint64_t> seed;                         ///< of a search
    std::vector<std::pair<std::string, std::string>> options;  ///< those that change the result: objective, mapper, ...
};

struct RefinedCandidate {
    Mapping mapping;
    double energy_pj = 0.0;   ///< of the exact model, as are
    std::int64_t cycles = 0;  ///< the cycles
    std::optional<std::int64_t> simulated_cycles;
    std::string failure;  ///< reason for their absence
};

/// Simulation of a layer's best mappings.
struct Refinement {
    std::vector<RefinedCandidate> candidates;  ///< the search's own answer first, the others in the model's order
    std::size_t choice = 0;                    ///< the best with simulated cycles: the layer's `mapping`
    double gain = 0.0;  ///< relative saving of the choice over the search's answer in the objective, with simulated
                        ///< cycles

    /// The choice was simulated.
    bool is_simulated() const { return candidates[choice].simulated_cycles.has_value(); }
};

/// A layer's time on a machine as built (docs/silicon.md). Its evaluation has the same time in whole cycles instead of
/// the plain model's, with the derived utilization, leakage and energy-delay product.
struct AsBuilt {
    double cycles = 0.0;  ///< of the architecture's clock, not rounded
    double seconds = 0.0;
    std::string bound;              ///< its largest part: "load", "memory", ...
    bool waits_for_memory = false;  ///< that is moving words
    std::int64_t plain_cycles = 0;  ///< the plain model's
};

/// Accounting of layers with times as built: counts are exact.
inline constexpr const char* kExactAsBuilt = "exact as built";

/// One layer shape, with all its layers.
struct LayerResult : LayerAnswer {
    std::vector<std::string> names;  ///< of the layers, in network order; never empty
    std::string op;
    std::int64_t repeats = 1;              ///< summed over the layers
    std::optional<Refinement> refinement;  ///< of `map --refine`
    std::optional<sparse::Costs> sparse;   ///< of a machine with sparse optimisations
    std::optional<AsBuilt> as_built;       ///< in a report of times as built
    /// In a report of times as built: reason for the plain model's latency instead.
    std::string not_as_built = {};
    /// By tensor, bits of partial sums (model/exact/partial_sums.hpp); 0, or empty for all: those of the final words.
    std::vector<std::int64_t> partial_bits = {};
    /// Computed by a vector unit, without a mapping: operations, their energy and compute cycles are its own.
    bool on_vector_unit = false;
};

/// Costs of the mapped layers on a machine that differs in one number (run/what_if/what_if.hpp).
struct WhatIf {
    std::string change;         ///< "twice the bandwidth of DRAM"
    bool mapped_again = false;  ///< otherwise the found mappings are costed again
    std::optional<double> energy_pj;
    std::optional<std::int64_t> cycles;
    std::string failure;  ///< reason for their absence
};

LayerResult unmapped(const Layer& layer);

struct Report {
    Provenance provenance;
    Architecture architecture;
    std::string network;  ///< "" for a single layer of none
    std::vector<LayerResult> layers;
    std::vector<UnmappedOperator> unmapped;
    std::vector<std::string> notes;  ///< for the user, one sentence each
    bool interrupted = false;        ///< the search was cut short: every result is the best so far
    std::vector<WhatIf> what_if;     ///< of `map --what-if`: the machine as it is, then each change
};

/// Sums over all layers, with repeats. Layers without an evaluation count in `missing` only.
struct Totals {
    std::int64_t computes = 0;
    std::int64_t cycles = 0;
    double energy_pj = 0.0;
    double utilization = 0.0;  ///< computes / (units * cycles)
    std::int64_t layers = 0;
    std::int64_t missing = 0;       ///< layers without a mapping
    std::int64_t as_built = 0;      ///< layers with times as built; the others have the plain model's
    std::int64_t plain_cycles = 0;  ///< the plain model's of all layers

    double edp_pj_cycles() const { return energy_pj * static_cast<double>(cycles); }
};

/// Throws OverflowError.
Totals totals(const Report& report);

/// Rule of the report's latency, unless the plain model's alone: "time as built", or "time as built of 35 of 52 layers,
/// of the others the plain model's"; else "". Every time, sum and product follows it.
std::string latency_rule(const Report& report);

/// The report's accounting with its rule of latency, and that of one layer.
std::string accounting_of(const Report& report);
std::string accounting_of(const Report& report, const LayerResult& layer);

/// "2 of 9 layers are without a legal mapping and not in the totals: conv1 and fc"; "" if all have one. With repeats;
/// includes layers not reached by a search.
std::string missing_text(const Report& report);

/// "layer 'conv1': the mapping is not legal", or "there is no mapping", and the reasons, a line each.
std::string failure_text(const LayerResult& layer);

/// "network 'relu' has no layer to map: 2 operators, of which none is one (Add: works element by element; ...)"
std::string no_layer_text(const std::string& network, std::span<const UnmappedOperator> unmapped);

double padding_share(const Einsum& own, const Einsum& padded);

/// Name of a machine's vector unit in reports.
inline constexpr const char* kVectorUnit = "vector unit";

/// Bound of a layer's latency: a memory, the computing units, or AsBuilt's.
enum class LatencyBound { compute, read_bandwidth, write_bandwidth, shared_bandwidth, vector_unit, as_built };

LatencyBound latency_bound(const Evaluation& evaluation, bool on_vector_unit);

/// "read bandwidth", ...
std::string bound_name(Bound bound);
std::string bound_name(LatencyBound bound);

/// "latency is bound by read bandwidth of shared_glb: 1.8x the compute cycles"
std::string bound_sentence(const Evaluation& evaluation, bool on_vector_unit = false);
/// Of a layer with an evaluation, for either rule of latency: "the time as built is bound by load".
std::string bound_sentence(const LayerResult& layer);

}  // namespace tilewright::report
