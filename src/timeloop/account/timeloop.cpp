// Timeloop's result as an Evaluation.

#include "timeloop/account/timeloop.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "timeloop/account/nest.hpp"
#include "timeloop/account/totals.hpp"
#include "timeloop/account/traffic.hpp"
#include "timeloop/account/walk.hpp"

namespace tilewright::account {
namespace {

TimeloopResult refusal_of(Violation violation) {
    TimeloopResult result;
    result.refusal = std::move(violation);
    return result;
}

/// The switches of every storage level, innermost first.
std::vector<LevelOptions> switches_of(const Mapping& mapping, int memories) {
    std::vector<LevelOptions> switches = mapping.options;
    switches.resize(static_cast<std::size_t>(memories));
    std::reverse(switches.begin(), switches.end());
    return switches;
}

TensorRules rules_for(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping, int tensor,
                      const TimeloopOptions& options) {
    const int memories = architecture.memory_count();
    TensorRules rules;
    rules.name = einsum.tensors[tensor].name;
    rules.written = einsum.tensors[tensor].written;
    rules.first_read_elision = options.first_read_elision;
    rules.first_fills = options.first_fills;
    rules.switches = switches_of(mapping, memories);
    const std::vector<MappingLevel> levels = levels_of(mapping, memories);
    for (int index = memories - 1; index >= 0; --index) {
        const Memory& memory = architecture.memories[index];
        rules.memories.push_back(memory.name);
        rules.kept.push_back(levels[index].keep.has(tensor) ? 1 : 0);
        rules.many_to_many.push_back(memory.link.spread == NetworkSpread::many_to_many ? 1 : 0);
    }
    return rules;
}

/// Upper bounds of all counts, up to the number of loops; products below them need no checks.
void require_countable(const Einsum& einsum) {
    operation_count(einsum);
    for (int t = 0; t < einsum.tensor_count(); ++t) tensor_words(einsum, t);
}

class Accountant {
   public:
    Accountant(const Einsum& einsum, const Architecture& architecture, DenseCounts counts)
        : counts_(std::move(counts)), counted_{einsum, architecture, counts_.nest, counts_.tensors} {}

    TimeloopResult run() {
        count_compute();
        for (int s = 0; s < counted_.storages() && !result_.refusal; ++s)
            result_.refusal = storage_refusal(counted_, s);
        if (result_.refusal) return std::move(result_);
        for (int s = 0; s < counted_.storages(); ++s) {
            result_.memories.push_back(evaluate_memory(counted_, s, result_.compute_cycles));
            result_.cycles = std::max(result_.cycles, result_.memories.back().cycles);
        }
        add_leakage_and_networks();
        add_up();
        std::reverse(result_.memories.begin(), result_.memories.end());
        std::reverse(result_.networks.begin(), result_.networks.end());
        result_.undefined = counts_.guard.problem();
        return std::move(result_);
    }

   private:
    /// Imperfect nests are charged as if every loop ran its full extent.
    void count_compute() {
        const auto instances = static_cast<double>(counts_.compute_instances);
        const Nest& nest = counted_.nest;
        result_.computes = static_cast<std::int64_t>(counts_.computes_per_instance * instances);
        result_.compute_cycles =
            nest.imperfect ? nest.temporal_iterations
                           : static_cast<std::int64_t>(std::ceil(static_cast<double>(result_.computes) / instances));
        result_.compute_units_used = nest.compute_expansion.size();
        result_.compute_energy_pj =
            static_cast<double>(result_.computes) * counted_.architecture.compute.energy_pj.value;
        result_.cycles = result_.compute_cycles;
    }

    void add_leakage_and_networks() {
        for (int s = 0; s < counted_.storages(); ++s) {
            result_.memories[s].leakage_pj = leakage_pj(counted_, s, result_.cycles);
            for (TimeloopNetwork& network : evaluate_networks(counted_, s, counts_.guard))
                result_.networks.push_back(std::move(network));
            result_.network_latency_cycles += network_latency(counted_, s);
        }
        result_.cycles = checked_add(result_.cycles, result_.network_latency_cycles);
    }

    void add_up() {
        result_.energy_pj = result_.compute_energy_pj;
        for (const TimeloopMemory& memory : result_.memories) {
            for (const TimeloopTensor& tensor : memory.tensors)
                result_.energy_pj += tensor.energy_pj + tensor.address_energy_pj;
            result_.energy_pj += memory.leakage_pj;
        }
        double networks = 0.0;
        for (const TimeloopNetwork& network : result_.networks)
            for (const TimeloopFlow& flow : network.tensors) networks += flow.energy_pj;
        result_.energy_pj += networks;
        const Compute& compute = counted_.architecture.compute;
        result_.utilization = static_cast<double>(result_.computes) / static_cast<double>(compute.instances) /
                              static_cast<double>(result_.cycles);
        result_.area_um2 = total_area_um2(counted_.architecture);
    }

    DenseCounts counts_;
    Counted counted_;
    TimeloopResult result_;
};

/// The rest of `counts`, from Timeloop's walk over the nest, tensor by tensor.
void add_traffic(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                 const TimeloopOptions& options, DenseCounts& counts) {
    const WalkCounts walked = walk(einsum, counts.nest, switches_of(mapping, architecture.memory_count()), options);
    counts.computes_per_instance = walked.computes_per_instance;
    counts.compute_instances = walked.compute_instances;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        bool unsupported = false;
        const TensorRules rules = rules_for(einsum, architecture, mapping, t, options);
        counts.tensors.push_back(storage_traffic(walked, t, rules, counts.guard, unsupported));
        if (unsupported)
            counts.refusal = Violation{
                ViolationKind::nest, "",
                "tensor '" + rules.name + "' meets several kinds of multicast on an M:N network; Timeloop exits on it"};
    }
}

}  // namespace

Architecture with_dearest_actions(Architecture architecture) {
    for (Memory& memory : architecture.memories) {
        MemoryEnergy& energy = memory.energy;
        Sourced dearest = energy.read_pj;
        for (const Sourced& other : {energy.fill_pj, energy.update_pj})
            if (other.value > dearest.value) dearest = other;
        energy.read_pj = energy.fill_pj = energy.update_pj = dearest;
    }
    return architecture;
}

DenseCounts dense_counts(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                         const TimeloopOptions& options, bool instances_may_shrink) {
    DenseCounts counts;
    if (!is_even(mapping, architecture.memory_count())) {
        counts.refusal =
            Violation{ViolationKind::nest, "", "Timeloop knows only even mappings: one store per memory, in order"};
        return counts;
    }
    require_countable(einsum);
    counts.nest = flatten(einsum, architecture, mapping);
    counts.refusal = structural_refusal(einsum, architecture, mapping, counts.nest);
    if (!counts.refusal && !instances_may_shrink) counts.refusal = compute_refusal(architecture, counts.nest);
    if (!counts.refusal) counts.refusal = oversized_block(architecture, counts.nest);
    if (!counts.refusal) add_traffic(einsum, architecture, mapping, options, counts);
    return counts;
}

TimeloopResult timeloop(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                        const TimeloopOptions& options) {
    if (options.dearest_action) {
        TimeloopOptions others = options;
        others.dearest_action = false;
        return timeloop(einsum, with_dearest_actions(architecture), mapping, others);
    }
    DenseCounts counts = dense_counts(einsum, architecture, mapping, options);
    if (counts.refusal) return refusal_of(*counts.refusal);
    return Accountant(einsum, architecture, std::move(counts)).run();
}

namespace {

TensorTraffic common(const TimeloopTensor& tensor) {
    TensorTraffic traffic;
    traffic.kept = tensor.kept;
    traffic.tile_words = tensor.tile_words;
    traffic.reads = static_cast<double>(tensor.reads) * tensor.instances;
    traffic.fills = static_cast<double>(tensor.fills) * tensor.instances;
    traffic.updates = static_cast<double>(tensor.updates) * tensor.instances;
    traffic.instances = tensor.instances;
    traffic.address_generations =
        static_cast<double>(tensor.address_generations) * static_cast<double>(tensor.clusters);
    traffic.energy_pj = tensor.energy_pj;
    traffic.address_energy_pj = tensor.address_energy_pj;
    traffic.read_words_per_cycle = tensor.read_words_per_cycle;
    traffic.write_words_per_cycle = tensor.write_words_per_cycle;
    return traffic;
}

/// Two networks below one memory: energies add up, words are those of the network in use.
void add(LinkTraffic& link, const TimeloopFlow& flow, double instances) {
    link.words = std::max(link.words, flow.ingresses * instances);
    link.delivered = std::max(link.delivered, flow.delivered * instances);
    link.link_transfers = std::max(link.link_transfers, static_cast<double>(flow.link_transfers) * instances);
    link.spatial_reductions =
        std::max(link.spatial_reductions, static_cast<double>(flow.spatial_reductions) * instances);
    link.hops = std::max(link.hops, flow.hops * instances);
    link.energy_pj += flow.energy_pj;
}

MemoryEvaluation common(const TimeloopMemory& memory, const Memory& specification) {
    MemoryEvaluation result;
    result.name = memory.name;
    result.cycles = memory.cycles;
    result.slowdown = memory.slowdown;
    result.bound = memory.bound;
    result.leakage_pj = memory.leakage_pj;
    result.energy_pj = memory.leakage_pj;
    for (const TimeloopTensor& tensor : memory.tensors) {
        result.tensors.push_back(common(tensor));
        result.used_words += tensor.tile_words;
        result.energy_pj += tensor.energy_pj + tensor.address_energy_pj;
    }
    result.link.resize(memory.tensors.size());
    result.area_um2 = specification.area_um2.value * static_cast<double>(specification.instances);
    return result;
}

}  // namespace

Evaluation to_evaluation(const TimeloopResult& result, const Architecture& architecture) {
    Evaluation evaluation;
    evaluation.computes = result.computes;
    evaluation.compute_cycles = result.compute_cycles;
    evaluation.cycles = result.cycles;
    evaluation.utilization = result.utilization;
    evaluation.energy_pj = result.energy_pj;
    evaluation.compute_energy_pj = result.compute_energy_pj;
    evaluation.compute_units_used = result.compute_units_used;
    evaluation.area_um2 = result.area_um2;
    evaluation.link_latency_cycles = result.network_latency_cycles;
    std::int64_t most = result.compute_cycles;
    for (std::size_t m = 0; m < result.memories.size(); ++m) {
        const TimeloopMemory& memory = result.memories[m];
        evaluation.memories.push_back(common(memory, architecture.memories[m]));
        if (memory.cycles <= most) continue;
        most = memory.cycles;
        evaluation.bounding_memory = static_cast<int>(m);
    }
    for (const TimeloopNetwork& network : result.networks) {
        MemoryEvaluation& memory = evaluation.memories[network.memory];
        for (std::size_t t = 0; t < network.tensors.size(); ++t) {
            add(memory.link[t], network.tensors[t], memory.tensors[t].instances);
            memory.link_energy_pj += network.tensors[t].energy_pj;
        }
    }
    return evaluation;
}

}  // namespace tilewright::account
