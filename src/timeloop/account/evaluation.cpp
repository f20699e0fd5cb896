// Timeloop's result as an Evaluation.
#include <algorithm>

#include "timeloop/account/timeloop.hpp"

namespace tilewright::account {
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
