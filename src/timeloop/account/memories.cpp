#include <algorithm>
#include <cmath>

#include "arch/bandwidth_scale.hpp"
#include "base/numbers/checked.hpp"
#include "timeloop/account/totals.hpp"

namespace tilewright::account {
namespace {

double most_instances(const Counted& counted, int storage) {
    double most = 0.0;
    for (int t = 0; t < counted.einsum.tensor_count(); ++t)
        most = std::max(most, counted.traffic(storage, t).replication);
    return most;
}

std::int64_t held_words(const Counted& counted, int storage) {
    std::int64_t words = 0;
    for (int t = 0; t < counted.einsum.tensor_count(); ++t)
        words = checked_add(words, counted.traffic(storage, t).tile_words);
    return words;
}

double vectors(std::int64_t words, std::int64_t block) {
    return static_cast<double>(words < 0 ? words / block : ceil_div(words, block));
}

double cluster_energy_pj(const Memory& memory, const StorageTraffic& traffic) {
    return vectors(traffic.reads, memory.block_words) * memory.energy.read_pj.value +
           vectors(traffic.fills, memory.block_words) * memory.energy.fill_pj.value +
           vectors(traffic.updates, memory.block_words) * memory.energy.update_pj.value;
}

TimeloopTensor evaluate_tensor(const Counted& counted, int storage, int t, std::int64_t compute_cycles) {
    const Memory& memory = counted.memory(storage);
    const StorageTraffic& traffic = counted.traffic(storage, t);
    const Tensor& tensor = counted.einsum.tensors[t];
    const std::int64_t used = counted.nest.storages[storage].expansion.size();
    TimeloopTensor result;
    result.kept = traffic.tile_words > 0;
    result.tile_words = traffic.tile_words;
    result.partition_words = traffic.partition_words;
    result.instances = traffic.replication;
    result.clusters = std::min(used, memory.instances / memory.cluster_size);
    result.reads = traffic.reads;
    result.fills = traffic.fills;
    result.updates = traffic.updates;
    result.temporal_reductions = traffic.temporal_reductions;
    result.address_generations = (tensor.written ? traffic.updates : traffic.reads) + traffic.fills;
    if (traffic.replication <= 0.0) return result;
    const double per_cluster = static_cast<double>(used) / static_cast<double>(result.clusters);
    result.energy_pj_per_instance = cluster_energy_pj(memory, traffic) / per_cluster;
    result.energy_pj = result.energy_pj_per_instance * traffic.replication;
    result.address_energy_pj = static_cast<double>(result.address_generations) *
                               std::max(0.0, memory.address_energy_pj.value_or(0.0)) *
                               static_cast<double>(result.clusters);
    const double ratio = static_cast<double>(used) / traffic.replication;
    const double factor = bandwidth_scale(tensor, memory).value_or(1.0);
    const auto per_cycle = [&](std::int64_t words) {
        return std::ceil(static_cast<double>(words) / ratio) / static_cast<double>(compute_cycles) * factor;
    };
    result.read_words_per_cycle = per_cycle(traffic.reads);
    result.write_words_per_cycle = per_cycle(traffic.fills + traffic.updates);
    return result;
}

// Lowers a memory's slowdown to its bandwidth bound.
void limit(const std::optional<double>& bandwidth, double demand, Bound bound, TimeloopMemory& result) {
    if (!bandwidth || *bandwidth >= demand) return;
    const double slowdown = *bandwidth / demand;
    if (slowdown >= result.slowdown) return;
    result.slowdown = slowdown;
    result.bound = bound;
}

}  // namespace

std::optional<Violation> too_many(const Mesh& used, double instances, const Mesh& mesh, std::int64_t available,
                                  const std::string& level) {
    const auto exceeds = [&](ViolationKind kind, const std::string& what, double wanted, std::int64_t have) {
        return Violation{kind, level,
                         level + " would need " + std::to_string(std::llround(wanted)) + " instances" + what +
                             "; it has " + std::to_string(have)};
    };
    if (instances > static_cast<double>(available)) return exceeds(ViolationKind::instances, "", instances, available);
    if (used.x > mesh.x) return exceeds(ViolationKind::fanout_x, " along X", static_cast<double>(used.x), mesh.x);
    if (used.y > mesh.y) return exceeds(ViolationKind::fanout_y, " along Y", static_cast<double>(used.y), mesh.y);
    return std::nullopt;
}

void throttle(const Memory& memory, std::int64_t compute_cycles, TimeloopMemory& result) {
    double read = 0.0;
    double write = 0.0;
    for (const TimeloopTensor& tensor : result.tensors) {
        read += tensor.read_words_per_cycle;
        write += tensor.write_words_per_cycle;
    }
    limit(memory.read_words_per_cycle, read, Bound::read_bandwidth, result);
    limit(memory.write_words_per_cycle, write, Bound::write_bandwidth, result);
    limit(memory.shared_words_per_cycle, write + read, Bound::shared_bandwidth, result);
    result.cycles = static_cast<std::int64_t>(std::ceil(static_cast<double>(compute_cycles) / result.slowdown));
    for (TimeloopTensor& tensor : result.tensors) {
        tensor.read_words_per_cycle *= result.slowdown;
        tensor.write_words_per_cycle *= result.slowdown;
    }
}

std::optional<Violation> compute_refusal(const Architecture& architecture, const Nest& nest) {
    const Compute& compute = architecture.compute;
    const Mesh& used = nest.compute_expansion;
    return too_many(used, static_cast<double>(used.size()), compute.mesh, compute.instances, compute.name);
}

std::optional<Violation> storage_refusal(const Counted& counted, int storage) {
    const Memory& memory = counted.memory(storage);
    const std::int64_t held = held_words(counted, storage);
    if (const auto usable = memory.usable_words()) {
        if (held > *usable)
            return Violation{ViolationKind::capacity, memory.name,
                             memory.name + " would hold " + std::to_string(held) + " words, " +
                                 std::to_string(held - *usable) + " more than its " + std::to_string(*usable)};
        if (static_cast<double>(held) < static_cast<double>(*usable) * memory.min_utilization)
            return Violation{ViolationKind::min_utilization, memory.name,
                             memory.name + " would hold only " + std::to_string(held) + " of its " +
                                 std::to_string(*usable) + " words"};
    }
    return too_many(counted.nest.storages[storage].expansion, most_instances(counted, storage), memory.mesh,
                    memory.instances, memory.name);
}

TimeloopMemory evaluate_memory(const Counted& counted, int storage, std::int64_t compute_cycles) {
    const Memory& memory = counted.memory(storage);
    TimeloopMemory result;
    result.name = memory.name;
    for (int t = 0; t < counted.einsum.tensor_count(); ++t)
        result.tensors.push_back(evaluate_tensor(counted, storage, t, compute_cycles));
    throttle(memory, compute_cycles, result);
    return result;
}

double leakage_pj(const Counted& counted, int storage, std::int64_t cycles) {
    return leakage_pj(counted.architecture, storage, cycles, [&](int level) { return most_instances(counted, level); });
}

double leakage_pj(const Architecture& architecture, int storage, std::int64_t cycles,
                  const std::function<double(int storage)>& most_instances) {
    const int last = static_cast<int>(architecture.memories.size()) - 1;
    const Memory& memory = architecture.memories[last - storage];
    double leaking = std::max(1.0, most_instances(storage));
    if (memory.power_gated_at && *memory.power_gated_at != memory.name) {
        const int gate = find_memory(architecture, *memory.power_gated_at);
        const double shared =
            static_cast<double>(memory.instances) / static_cast<double>(architecture.memories[gate].instances);
        if (shared > 1.0) leaking = shared * std::max(1.0, most_instances(last - gate));
    }
    return memory.energy.leak_pj_per_cycle.value * static_cast<double>(cycles) * leaking;
}

}  // namespace tilewright::account
