// What a run of Tilewright found, as one value: what every report (text, JSON) is written from.
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

/// A file (or zoo entry) that was read, and the XXH3-128 hash of its bytes.
struct Input {
    std::string name;
    std::string xxh3;
};

/// Everything needed to get the same numbers again. Holds no times and no number of threads: equal inputs, options and
/// seed give equal bytes.
struct Provenance {
    std::string tool_version;
    std::string command;               ///< the verb
    std::string accounting = "exact";  ///< whose rules counted
    std::vector<Input> inputs;
    std::optional<std::uint64_t> seed;                         ///< of a search
    std::vector<std::pair<std::string, std::string>> options;  ///< those that change the result: objective, mapper, ...
};

/// A mapping that was simulated beside others.
struct RefinedCandidate {
    Mapping mapping;
    double energy_pj = 0.0;   ///< of the exact model, as are
    std::int64_t cycles = 0;  ///< the cycles
    std::optional<std::int64_t> simulated_cycles;
    std::string failure;  ///< why there are none
};

/// What a simulation said of a layer's best mappings.
struct Refinement {
    std::vector<RefinedCandidate> candidates;  ///< the search's own answer first, the others as the model ranks them
    std::size_t choice = 0;                    ///< the best with simulated cycles: the layer's `mapping`
    double gain = 0.0;  ///< share of the search's answer's objective, with simulated cycles, that the choice saves

    /// Whether its choice rests on anything.
    bool is_simulated() const { return candidates[choice].simulated_cycles.has_value(); }
};

/// What a layer takes on a machine as built (docs/silicon.md). Its evaluation has the same time in whole cycles, in
/// place of the plain model's, with what follows from it: utilization, leakage, energy-delay product.
struct AsBuilt {
    double cycles = 0.0;  ///< of the architecture's clock, not rounded
    double seconds = 0.0;
    std::string bound;              ///< what most of it goes into: "load", "memory", ...
    bool waits_for_memory = false;  ///< that is moving words
    std::int64_t plain_cycles = 0;  ///< what the plain model says in its place
};

/// Accounting of layers whose time is as built: counts are exact.
inline constexpr const char* kExactAsBuilt = "exact as built";

/// One layer shape, and all layers that have it.
struct LayerResult : LayerAnswer {
    std::vector<std::string> names;  ///< of the layers, in network order; never empty
    std::string op;
    std::int64_t repeats = 1;              ///< summed over the layers
    std::optional<Refinement> refinement;  ///< of `map --refine`
    std::optional<sparse::Costs> sparse;   ///< of a machine that does something about zeros
    std::optional<AsBuilt> as_built;       ///< in a report of times as built
    /// In a report of times as built, why the latency of the evaluation is the plain model's after all.
    std::string not_as_built = {};
    /// By tensor, bits of the words of results while they are partial sums (model/exact/partial_sums.hpp); 0: as many
    /// as the final ones. Empty: likewise, of all.
    std::vector<std::int64_t> partial_bits = {};
    /// Computed beside the array, without a mapping: operations, their energy and the compute cycles are a vector
    /// unit's.
    bool on_vector_unit = false;
};

/// What the layers with a mapping would cost on a machine that differs in one number (run/what_if/what_if.hpp).
struct WhatIf {
    std::string change;         ///< "twice the bandwidth of DRAM"
    bool mapped_again = false;  ///< else the mappings that were found are costed again
    std::optional<double> energy_pj;
    std::optional<std::int64_t> cycles;
    std::string failure;  ///< why there are none
};

/// A layer whose mapping is not known yet.
LayerResult unmapped(const Layer& layer);

struct Report {
    Provenance provenance;
    Architecture architecture;
    std::string network;  ///< "" for a single layer that belongs to none
    std::vector<LayerResult> layers;
    std::vector<UnmappedOperator> unmapped;
    std::vector<std::string> notes;  ///< what the user should know, one sentence each
    bool interrupted = false;        ///< the search was cut short: every result is the best so far
    std::vector<WhatIf> what_if;     ///< of `map --what-if`: the machine as it is, then each change
};

/// Sums over all layers, each as often as it runs. Layers without an evaluation count for nothing but `missing`.
struct Totals {
    std::int64_t computes = 0;
    std::int64_t cycles = 0;
    double energy_pj = 0.0;
    double utilization = 0.0;  ///< computes / (units * cycles)
    std::int64_t layers = 0;
    std::int64_t missing = 0;       ///< layers without a mapping
    std::int64_t as_built = 0;      ///< layers whose time is as built; that of the others is the plain model's
    std::int64_t plain_cycles = 0;  ///< the plain model's of all layers

    double edp_pj_cycles() const { return energy_pj * static_cast<double>(cycles); }
};

/// Throws OverflowError.
Totals totals(const Report& report);

/// Whose latency the report tells, where it is not the plain model's alone: "time as built", or "time as built of 35 of
/// 52 layers, of the others the plain model's"; else "". Every time, sum and product in it is of this rule.
std::string latency_rule(const Report& report);

/// The report's accounting with the rule of latency in it, and that of one layer.
std::string accounting_of(const Report& report);
std::string accounting_of(const Report& report, const LayerResult& layer);

/// "2 of 9 layers are without a legal mapping and not in the totals: conv1 and fc"; "" when all have one. Layers as
/// often as they run; those that a search did not come to are among them.
std::string missing_text(const Report& report);

/// "layer 'conv1': the mapping is not legal", or "there is no mapping", and the reasons, a line each.
std::string failure_text(const LayerResult& layer);

/// "network 'relu' has no layer to map: 2 operators, of which none is one (Add: works element by element; ...)"
std::string no_layer_text(const std::string& network, std::span<const UnmappedOperator> unmapped);

/// Share of the operations that only compute padding.
double padding_share(const Einsum& own, const Einsum& padded);

/// What reports call the vector unit of a machine.
inline constexpr const char* kVectorUnit = "vector unit";

/// What bounds the latency of a layer: a memory, what computes, or what AsBuilt says.
enum class LatencyBound { compute, read_bandwidth, write_bandwidth, shared_bandwidth, vector_unit, as_built };

LatencyBound latency_bound(const Evaluation& evaluation, bool on_vector_unit);

/// "read bandwidth", ...
std::string bound_name(Bound bound);
std::string bound_name(LatencyBound bound);

/// "latency is bound by read bandwidth of shared_glb: 1.8x the compute cycles"
std::string bound_sentence(const Evaluation& evaluation, bool on_vector_unit = false);
/// Of a layer with an evaluation, whichever rule its latency is of: "the time as built is bound by load".
std::string bound_sentence(const LayerResult& layer);

}  // namespace tilewright::report
