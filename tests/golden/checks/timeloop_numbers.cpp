#include "timeloop_numbers.hpp"

namespace tilewright::golden {
namespace {

using account::TimeloopFlow;
using account::TimeloopMemory;
using account::TimeloopNetwork;
using account::TimeloopResult;
using account::TimeloopTensor;
using nlohmann::json;

/// "memory.tensor."
std::string place(std::initializer_list<std::string_view> names) {
    std::string text;
    for (const std::string_view name : names) text.append(name).append(1, '.');
    return text;
}

void compare_tensor_counts(const std::string& at, const TimeloopTensor& ours, const json& theirs,
                           Differences& differences) {
    const auto count = [&](const char* key, std::int64_t value) { differences.count(at + key, value, theirs.at(key)); };
    count("partition_size", ours.partition_words);
    count("utilized_capacity", ours.tile_words);
    differences.exactly(at + "utilized_instances_max", ours.instances, theirs.at("utilized_instances_max"));
    count("utilized_clusters_max", ours.clusters);
    count("scalar_reads_per_instance", ours.reads);
    count("scalar_fills_per_instance", ours.fills);
    count("scalar_updates_per_instance", ours.updates);
    count("temporal_reductions_per_instance", ours.temporal_reductions);
    count("address_generations_per_cluster", ours.address_generations);
    const auto total = [&](const char* key, std::int64_t value) {
        differences.exactly(at + key, static_cast<double>(value) * ours.instances, theirs.at(key));
    };
    total("scalar_reads_total", ours.reads);
    total("scalar_fills_total", ours.fills);
    total("scalar_updates_total", ours.updates);
}

void compare_tensor_costs(const std::string& at, const TimeloopTensor& ours, const json& theirs,
                          Differences& differences) {
    const auto close = [&](const char* key, double value) { differences.close(at + key, value, theirs.at(key)); };
    close("energy_per_instance", ours.energy_pj_per_instance);
    close("energy_total", ours.energy_pj);
    close("address_generation_energy_total", ours.address_energy_pj);
    close("read_bandwidth_per_instance", ours.read_words_per_cycle);
    close("write_bandwidth_per_instance", ours.write_words_per_cycle);
    close("shared_bandwidth_per_instance", ours.read_words_per_cycle + ours.write_words_per_cycle);
    close("read_bandwidth_total", ours.read_words_per_cycle * ours.instances);
    close("write_bandwidth_total", ours.write_words_per_cycle * ours.instances);
}

void compare_memory(const TimeloopMemory& ours, const Memory& memory, const Einsum& einsum, const json& theirs,
                    Differences& differences) {
    const std::string at = ours.name + ".";
    differences.text(at + "name", ours.name, theirs.at("name").get<std::string>());
    differences.count(at + "cycles", ours.cycles, theirs.at("cycles"));
    differences.close(at + "slowdown", ours.slowdown, theirs.at("slowdown"));
    differences.close(at + "leakage_energy_total", ours.leakage_pj, theirs.at("specs").at("leakage_energy_total"));
    differences.close(at + "area", memory.area_um2.value, theirs.at("specs").at("area"));
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const std::string& name = einsum.tensors[t].name;
        const auto tensor = theirs.at("dataspaces").find(name);
        const bool reported = tensor != theirs.at("dataspaces").end();
        if (!reported) {
            if (ours.tensors[t].kept) differences.problem(at + name, "is not among their data spaces");
            continue;
        }
        compare_tensor_counts(at + name + ".", ours.tensors[t], *tensor, differences);
        compare_tensor_costs(at + name + ".", ours.tensors[t], *tensor, differences);
    }
}

void compare_signatures(const std::string& at, const TimeloopFlow& ours, const json& theirs, Differences& differences) {
    const json recorded = theirs.value("signatures", json::array());
    differences.count(at + "signatures", static_cast<std::int64_t>(ours.signatures.size()), json(recorded.size()));
    if (recorded.size() != ours.signatures.size()) return;
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        const std::string name = at + "signature " + std::to_string(i) + ".";
        differences.count(name + "multicast", ours.signatures[i].multicast, recorded[i].at("multicast"));
        differences.count(name + "scatter", ours.signatures[i].scatter, recorded[i].at("scatter"));
        differences.close(name + "accesses", ours.signatures[i].accesses, recorded[i].at("accesses"));
    }
}

void compare_legacy_flow(const std::string& at, const TimeloopFlow& ours, const json& theirs, double instances,
                         Differences& differences) {
    differences.count(at + "fanout", ours.fanout, theirs.at("fanout"));
    differences.count(at + "multicast_factor", ours.multicast, theirs.at("multicast_factor"));
    differences.count(at + "link_transfers", ours.link_transfers, theirs.at("link_transfers"));
    differences.count(at + "spatial_reductions", ours.spatial_reductions, theirs.at("spatial_reductions"));
    const auto close = [&](const char* key, double value) { differences.close(at + key, value, theirs.at(key)); };
    close("average_number_of_hops", ours.average_hops);
    close("energy_per_hop_fj", ours.energy_pj_per_hop * 1000);
    close("link_transfer_energy_per_instance", ours.link_energy_pj_per_instance);
    close("energy_total", ours.energy_pj_per_instance * instances);
    compare_signatures(at, ours, theirs, differences);
}

void compare_flow(const std::string& at, const TimeloopFlow& ours, NetworkKind kind, double instances,
                  const json& theirs, Differences& differences) {
    differences.close(at + "energy_per_instance", ours.energy_pj_per_instance, theirs.at("energy_per_instance"));
    if (kind == NetworkKind::reduction_tree) {
        differences.count(at + "spatial_reductions", ours.spatial_reductions, theirs.at("spatial_reductions"));
        differences.close(at + "average_number_of_hops", ours.average_hops, theirs.at("average_number_of_hops"));
        return;
    }
    differences.close(at + "ingresses", ours.ingresses, theirs.at("ingresses"));
    if (kind == NetworkKind::legacy)
        compare_legacy_flow(at, ours, theirs, instances, differences);
    else
        differences.count(at + "fanout", ours.fanout, theirs.at("fanout"));
}

void compare_networks(const TimeloopResult& ours, const Einsum& einsum, const json& theirs, Differences& differences) {
    for (const json& recorded : theirs) {
        const std::string name = recorded.at("name");
        const TimeloopNetwork* network = nullptr;
        for (const TimeloopNetwork& candidate : ours.networks)
            if (candidate.name == name) network = &candidate;
        if (network == nullptr) {
            differences.problem(name, "is not among our networks");
            continue;
        }
        for (const auto& [tensor, flow] : recorded.at("dataspaces").items()) {
            const int t = find_tensor(einsum, tensor);
            if (t < 0) continue;
            const std::string at = place({name, tensor});
            const double instances = ours.memories[network->memory].tensors[t].instances;
            compare_flow(at, network->tensors[t], network->kind, instances, flow, differences);
        }
    }
}

}  // namespace

void compare_account(const TimeloopResult& ours, const Inputs& inputs, const json& expected, Differences& differences) {
    differences.count("cycles", ours.cycles, expected.at("cycles"));
    differences.count("computes", ours.computes, expected.at("computes"));
    differences.ratio("utilization", ours.utilization, expected.at("utilization"));
    differences.close("energy_pj", ours.energy_pj, expected.at("energy_pj"));
    differences.close("area_um2", ours.area_um2, expected.at("area_um2"));
    const json& arithmetic = expected.at("arithmetic");
    differences.count("arithmetic.computes_total", ours.computes, arithmetic.at("computes_total"));
    differences.count("arithmetic.cycles", ours.compute_cycles, arithmetic.at("cycles"));
    differences.count("arithmetic.utilized_instances", ours.compute_units_used, arithmetic.at("utilized_instances"));
    differences.close("arithmetic.energy_total", ours.compute_energy_pj, arithmetic.at("energy_total"));
    const json& levels = expected.at("levels");
    differences.count("levels", static_cast<std::int64_t>(ours.memories.size()), json(levels.size()));
    if (levels.size() != ours.memories.size()) return;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const std::size_t memory = levels.size() - 1 - i;  // theirs are innermost first
        compare_memory(ours.memories[memory], inputs.architecture.memories[memory], inputs.einsum, levels[i],
                       differences);
    }
    compare_networks(ours, inputs.einsum, expected.at("networks"), differences);
}

namespace {

// The tensor passes memories by over a fan-out: with remainders, truth.json has shares of what is asked of these,
// averages over steps (docs/model.md, rule 6, tells why they are no counts); tests/property/step_walk.hpp judges ours.
bool has_averages(const Inputs& inputs, int memory, int tensor) {
    if (is_perfect(inputs.mapping)) return false;
    const std::vector<MappingLevel> levels = levels_of(inputs.mapping, inputs.architecture.memory_count());
    bool spread = false;
    for (std::size_t m = memory; m + 1 < levels.size() && !levels[m + 1].keep.has(tensor); ++m)
        spread = spread || !levels[m].spatial.empty();
    return spread;
}

}  // namespace

void compare_truth(const Evaluation& ours, const Inputs& inputs, const json& truth, Differences& differences) {
    differences.count("computes", ours.computes, truth.at("computes"));
    for (const json& level : truth.at("levels")) {
        const std::string name = level.at("name");
        const int memory = find_memory(inputs.architecture, name);
        if (memory < 0) {
            differences.problem(name, "is not among our memories");
            continue;
        }
        for (const auto& [tensor, counts] : level.at("dataspaces").items()) {
            const std::string at = place({name, tensor});
            const int t = find_tensor(inputs.einsum, tensor);
            if (t < 0) {
                differences.problem(at, "is not among our tensors");
                continue;
            }
            const TensorTraffic& traffic = ours.memories[memory].tensors[t];
            differences.close(at + "fills", traffic.fills, counts.at("fills"));
            if (has_averages(inputs, memory, t)) continue;
            differences.close(at + "reads", traffic.reads, counts.at("reads"));
            differences.close(at + "updates", traffic.updates, counts.at("updates"));
        }
    }
}

}  // namespace tilewright::golden
