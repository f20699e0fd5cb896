#include "timeloop/account/totals.hpp"

#include <algorithm>
#include <cmath>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"

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

namespace {

/// Direction of a network for results; operands always travel inwards.
struct Direction {
    bool reads = true;
    bool updates = true;
};

std::string inferred_name(const Counted& counted, int storage) {
    const std::string& inner = storage == 0 ? counted.architecture.compute.name : counted.memory(storage - 1).name;
    return counted.memory(storage).name + " <==> " + inner;
}

/// Area of one inner neighbour, its contents included.
double inner_tile_area_um2(const Counted& counted, int storage) {
    const Compute& compute = counted.architecture.compute;
    double tile = compute.area_um2.value;
    std::int64_t inside = compute.instances;
    for (int s = 0; s < storage; ++s) {
        const Memory& memory = counted.memory(s);
        const std::int64_t inner_tiles = inside / memory.instances;
        tile = memory.area_um2.value + tile * static_cast<double>(inner_tiles);
        inside = memory.instances;
    }
    return tile;
}

double energy_pj_per_hop(const Counted& counted, int storage, const Link& link) {
    if (link.energy_per_hop_pj) return *link.energy_per_hop_pj;
    const double wire = link.wire_energy_pj_per_bit_mm.value_or(0.0);
    if (wire == 0.0) return 0.0;
    const double width_um = link.tile_width_um ? *link.tile_width_um : std::sqrt(inner_tile_area_um2(counted, storage));
    return static_cast<double>(link.word_bits) * (width_um / 1000) * wire;
}

/// Hops, routers and reductions of one tensor on a mesh.
class LegacyFlow {
   public:
    LegacyFlow(const StorageTraffic& traffic, bool written, Direction direction, bool reads_back, std::string what,
               Unsigned& guard)
        : reduces_(written && direction.updates),
          written_back_(reads_back ? static_cast<double>(traffic.partition_words) : -1.0),
          what_(std::move(what)),
          guard_(guard) {
        for (const Traffic& record : traffic.traffic) {
            const double ingress = add(record);
            flow_.signatures.push_back({record.multicast, record.scatter, ingress});
            flow_.multicast = std::max(flow_.multicast, record.multicast);
            flow_.ingresses += ingress;
            flow_.delivered += ingress * static_cast<double>(record.multicast);
        }
        for (const Traffic& record : traffic.spread) add(record);
        flow_.fanout = traffic.fanout;
        flow_.link_transfers = static_cast<std::int64_t>(traffic.link_transfers);
        flow_.spatial_reductions = reductions_;
        flow_.hops = hops_;
        flow_.average_hops = moved_ > 0.0 ? hops_ / moved_ : 0.0;
    }

    TimeloopFlow flow(double per_hop, double per_router, double instances) {
        flow_.energy_pj_per_hop = per_hop;
        flow_.energy_pj_per_instance = hops_ * per_hop + static_cast<double>(routers_) * per_router;
        flow_.link_energy_pj_per_instance = static_cast<double>(flow_.link_transfers) * (per_hop + 2 * per_router);
        flow_.energy_pj = (flow_.energy_pj_per_instance + flow_.link_energy_pj_per_instance) * instances;
        return flow_;
    }

   private:
    /// Partial sums of a memory without adders travel twice, except each element's first.
    double add(const Traffic& record) {
        const double ingress = written_back_ < 0.0 ? record.accesses : 2 * record.accesses - written_back_;
        moved_ += ingress;
        if (ingress > 0.0) {
            const double per_word = record.hops / ingress;  // keep the total unscaled under doubled traffic
            routers_ =
                guard_.of(static_cast<double>(routers_) + (1 + std::floor(per_word)) * ingress, "routers of " + what_);
            hops_ += per_word * ingress;
        }
        if (reduces_)
            reductions_ =
                guard_.of(static_cast<double>(reductions_) + static_cast<double>(record.multicast - 1) * ingress,
                          "spatial reductions of " + what_);
        return ingress;
    }

    bool reduces_;
    double written_back_;
    std::string what_;
    Unsigned& guard_;
    TimeloopFlow flow_;
    double hops_ = 0.0;
    double moved_ = 0.0;
    std::int64_t routers_ = 0;
    std::int64_t reductions_ = 0;
};

TimeloopFlow legacy_flow(const Counted& counted, int storage, int t, const TimeloopNetwork& network, const Link& link,
                         Direction direction, Unsigned& guard) {
    const StorageTraffic& traffic = counted.traffic(storage, t);
    const Tensor& tensor = counted.einsum.tensors[t];
    const bool reads_back = tensor.written && !counted.memory(storage).reduces && direction.updates;
    LegacyFlow legacy(traffic, tensor.written, direction, reads_back, tensor.name + " on " + network.name, guard);
    return legacy.flow(energy_pj_per_hop(counted, storage, link), link.router_energy_pj.value_or(0.0),
                       traffic.replication);
}

TimeloopFlow plain_flow(const StorageTraffic& traffic) {
    TimeloopFlow flow;
    flow.fanout = traffic.fanout;
    for (const Traffic& record : traffic.traffic) {
        flow.ingresses += record.accesses;
        flow.multicast = std::max(flow.multicast, record.multicast);
        flow.delivered += record.accesses * static_cast<double>(record.multicast);
        flow.signatures.push_back({record.multicast, record.scatter, record.accesses});
    }
    return flow;
}

double multicast_energy_pj(const std::map<std::int64_t, double>& energies, std::int64_t multicast) {
    if (energies.size() == 1) return energies.begin()->second;
    const auto entry = energies.find(multicast);
    return entry == energies.end() ? 0.0 : entry->second;
}

/// Timeloop assigns each signature's energy instead of adding: the last one stays.
TimeloopFlow simple_multicast_flow(const StorageTraffic& traffic, const std::map<std::int64_t, double>& energies) {
    TimeloopFlow flow = plain_flow(traffic);
    for (const Traffic& record : traffic.traffic)
        if (record.accesses > 0.0)
            flow.energy_pj_per_instance = multicast_energy_pj(energies, record.multicast) * record.accesses;
    flow.energy_pj = flow.energy_pj_per_instance * traffic.replication;
    return flow;
}

/// Binary adder tree. Timeloop omits the instance count from the tree's share of the total energy.
TimeloopFlow reduction_tree_flow(const StorageTraffic& traffic, bool written, double per_hop, const Link& link,
                                 const std::string& what, Unsigned& guard) {
    if (!written) return {};
    TimeloopFlow flow = plain_flow(traffic);
    for (const Traffic& record : traffic.traffic) {
        flow.spatial_reductions = guard.of(
            static_cast<double>(flow.spatial_reductions) + static_cast<double>(record.multicast - 1) * record.accesses,
            "spatial reductions of " + what);
        flow.hops += std::floor(std::log2(static_cast<double>(record.multicast))) * 0.5 * record.accesses;
    }
    flow.average_hops = flow.ingresses > 0.0 ? flow.hops / flow.ingresses : 0.0;
    flow.energy_pj_per_hop = per_hop;
    flow.energy_pj_per_instance = flow.hops * per_hop;
    flow.energy_pj = flow.energy_pj_per_instance + static_cast<double>(flow.spatial_reductions) * link.adder_energy_pj;
    return flow;
}

TimeloopNetwork evaluate_network(const Counted& counted, int storage, const Link& link, Direction direction,
                                 Unsigned& guard) {
    TimeloopNetwork network;
    network.name = link.name.empty() ? inferred_name(counted, storage) : link.name;
    network.memory = counted.storages() - 1 - storage;
    network.kind = link.kind;
    for (int t = 0; t < counted.einsum.tensor_count(); ++t) {
        const StorageTraffic& traffic = counted.traffic(storage, t);
        const Tensor& tensor = counted.einsum.tensors[t];
        if (link.kind == NetworkKind::legacy)
            network.tensors.push_back(legacy_flow(counted, storage, t, network, link, direction, guard));
        else if (link.kind == NetworkKind::simple_multicast)
            network.tensors.push_back(simple_multicast_flow(traffic, link.multicast_energy_of(tensor.name)));
        else
            network.tensors.push_back(reduction_tree_flow(traffic, tensor.written,
                                                          energy_pj_per_hop(counted, storage, link), link,
                                                          tensor.name + " on " + network.name, guard));
    }
    return network;
}

}  // namespace

std::vector<TimeloopNetwork> evaluate_networks(const Counted& counted, int storage, Unsigned& guard) {
    const Memory& memory = counted.memory(storage);
    if (!memory.update_link) return {evaluate_network(counted, storage, memory.link, {true, true}, guard)};
    return {evaluate_network(counted, storage, memory.link, {true, false}, guard),
            evaluate_network(counted, storage, *memory.update_link, {false, true}, guard)};
}

std::int64_t network_latency(const Counted& counted, int storage) {
    const Memory& memory = counted.memory(storage);
    // Timeloop's getter for the drain latency of a user-defined network returns its fill latency.
    if (memory.update_link) return memory.link.fill_latency_cycles + memory.update_link->fill_latency_cycles;
    if (memory.link.user_defined) return 2 * memory.link.fill_latency_cycles;
    return memory.link.fill_latency_cycles + memory.link.drain_latency_cycles;
}

}  // namespace tilewright::account
