#include "timeloop/machine/architecture.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "timeloop/files/sections.hpp"
#include "timeloop/machine/component_attributes.hpp"
#include "timeloop/machine/machine.hpp"
#include "timeloop/machine/part_costs.hpp"
#include "timeloop/machine/passing.hpp"
#include "timeloop/machine/tables.hpp"

namespace tilewright::timeloop {
namespace {

// Beyond any built machine; keeps neighbour-by-neighbour counting below a second.
constexpr std::int64_t kMostNeighbours = 1 << 20;

// A number beyond 64 bits is an error of its component.
template <class Read>
auto located(const Component& component, const Read& read) {
    try {
        return read(component);
    } catch (const OverflowError&) {
        component.node.fail(ErrorCode::overflow, "'" + component.name + "': its numbers do not fit in 64 bits");
    }
}

void check_neighbour_count(const MachineFile& machine, const Architecture& architecture, int level,
                           const Component& inner) {
    const Mesh fanout = architecture.fanout(level);
    if (fanout.x <= kMostNeighbours && fanout.y <= kMostNeighbours / fanout.x) return;
    inner.node.fail(ErrorCode::unsupported, "'" + inner.name + "' has " + std::to_string(fanout.x) + " x " +
                                                std::to_string(fanout.y) + " instances below each of '" +
                                                machine.memories[level].name + "'; the most is " +
                                                std::to_string(kMostNeighbours));
}

// Estimator designs give the mesh of some components only. A component without one takes its inner neighbour's if both
// have equally many instances.
void align_meshes(const MachineFile& machine, Architecture& architecture) {
    for (int i = architecture.memory_count(); i-- > 0;) {
        Memory& memory = architecture.memories[i];
        const bool is_given = machine.memories[i].mesh || machine.memories[i].attributes.has({"meshX"}) ||
                              machine.memories[i].attributes.has({"meshY"});
        const Mesh& inner = architecture.mesh(i + 1);
        const bool divides = inner.x % memory.mesh.x == 0 && inner.y % memory.mesh.y == 0;
        if (!is_given && !divides && inner.size() == memory.instances) memory.mesh = inner;
    }
}

// Checks on pairs of levels, at the place of the inner one.
void check_neighbours(const MachineFile& machine, const Architecture& architecture) {
    for (int i = 0; i < architecture.memory_count(); ++i) {
        const Mesh& outer = architecture.mesh(i);
        const Mesh& inner = architecture.mesh(i + 1);
        const bool innermost = i + 1 == architecture.memory_count();
        const Component& component = innermost ? machine.compute : machine.memories[i + 1];
        if (inner.x % outer.x != 0 || inner.y % outer.y != 0)
            component.node.fail(ErrorCode::bad_value,
                                "the mesh of '" + component.name + "' (" + std::to_string(inner.x) + " x " +
                                    std::to_string(inner.y) + ") is not a multiple of the mesh of '" +
                                    machine.memories[i].name + "' around it (" + std::to_string(outer.x) + " x " +
                                    std::to_string(outer.y) + ")");
        check_neighbour_count(machine, architecture, i, component);
    }
}

// Often the row, not the user, makes a cluster.
std::string undivided(const Component& component, const Memory& memory) {
    const std::string instances =
        std::to_string(memory.instances) + (memory.instances == 1 ? " instance" : " instances");
    const std::string cluster = std::to_string(memory.cluster_size);
    if (component.attributes.has({"cluster_size"}))
        return instances + (memory.instances == 1 ? " does" : " do") + " not divide into clusters of " + cluster;
    const std::int64_t block_bits = checked_mul(memory.word_bits, memory.block_words);
    return "a row as wide as 'width' says is " + cluster + " blocks of " + std::to_string(block_bits) +
           " bits, a vector for each of " + cluster + " instances (cluster_size), and there " +
           (memory.instances == 1 ? "is " : "are ") + instances +
           ": give block_size: " + std::to_string(checked_mul(memory.block_words, memory.cluster_size)) +
           ", or a width of " + std::to_string(block_bits);
}

void check_memories(const MachineFile& machine, const Architecture& architecture) {
    const std::vector<std::string> names = names_of(architecture.memories);
    for (int i = 0; i < architecture.memory_count(); ++i) {
        const Memory& memory = architecture.memories[i];
        const Component& component = machine.memories[i];
        if (memory.instances % memory.cluster_size != 0)
            component.node.fail(ErrorCode::bad_value, "'" + memory.name + "': " + undivided(component, memory));
        if (!memory.power_gated_at || find_memory(architecture, *memory.power_gated_at) >= 0) continue;
        const yaml::Node* given = component.attributes.find({"power_gated_at"});
        (given == nullptr ? component.node : *given)
            .fail(ErrorCode::unknown_level, "'" + memory.name + "' is power-gated at '" + *memory.power_gated_at +
                                                "', which is not a memory" +
                                                did_you_mean(*memory.power_gated_at, names));
    }
}

}  // namespace

Architecture read_architecture(const yaml::Node& root) {
    const MachineFile machine = read_machine(root);
    Architecture architecture;
    architecture.name = machine.name.empty() ? "unnamed" : machine.name;
    const std::size_t of_array = machine.array ? 2 : 0;
    if (machine.memories.size() + of_array > static_cast<std::size_t>(kMaxMemories))
        machine.memories[std::min<std::size_t>(kMaxMemories, machine.memories.size() - 1)].node.fail(
            ErrorCode::unsupported, "more than " + std::to_string(kMaxMemories) + " memories are not supported");
    const Clock clock = clock_of(machine);
    for (const Component& memory : machine.memories)
        architecture.memories.push_back(
            located(memory, [&](const Component& one) { return memory_of(one, machine, clock); }));
    architecture.compute = located(machine.compute, [&](const Component& one) { return compute_of(one, machine); });
    architecture.technology = architecture.compute.geometry.technology;
    architecture.cycle_seconds = clock.cycle_seconds;
    architecture.clock_assumed = clock.assumed;
    align_meshes(machine, architecture);
    check_neighbours(machine, architecture);
    check_memories(machine, architecture);
    connect_networks(machine, architecture);
    apply_tables(machine, architecture);
    apply_parts(machine, architecture);
    apply_passing(machine, clock, architecture);
    if (machine.array) architecture = with_array(std::move(architecture), *machine.array);
    if (const std::string problem = problem_with(architecture); !problem.empty())
        find_architecture(root)->fail(ErrorCode::bad_value, problem);
    return architecture;
}

namespace {

void set_energies(const Attributes& attributes, Link& link) {
    link.energy_per_hop_pj = attributes.real_from({"energy_per_hop"}, 0.0);
    link.wire_energy_pj_per_bit_mm = attributes.real_from({"wire_energy"}, 0.0);
    link.router_energy_pj = attributes.real_from({"router_energy"}, 0.0);
    link.tile_width_um = attributes.real_from({"tile_width"}, 0.0);
}

NetworkSpread spread_of(const Attributes& attributes) {
    const std::optional<std::string> type = attributes.text({"network_type"});
    if (!type) return NetworkSpread::unspecified;
    if (*type == "1:1") return NetworkSpread::one_to_one;
    if (*type == "1:N") return NetworkSpread::one_to_many;
    if (*type == "M:N") return NetworkSpread::many_to_many;
    attributes.find({"network_type"})->fail(ErrorCode::bad_value, "expected 1:1, 1:N or M:N, found '" + *type + "'");
}

Link inferred_link(const Component& component, const Memory& memory, const std::string& inner_name) {
    const Attributes& attributes = component.attributes;
    Link link;
    link.name = memory.name + " <==> " + inner_name;
    link.spread = spread_of(attributes);
    link.word_bits = attributes.positive({"network_word_bits"}).value_or(memory.word_bits);
    set_energies(attributes, link);
    link.fill_latency_cycles = attributes.not_negative({"network_fill_latency"}).value_or(0);
    link.drain_latency_cycles = attributes.not_negative({"network_drain_latency"}).value_or(0);
    return link;
}

NetworkKind kind_of(const std::string& component_class) {
    if (component_class.find("SimpleMulticast") != std::string::npos) return NetworkKind::simple_multicast;
    if (component_class.find("ReductionTree") != std::string::npos) return NetworkKind::reduction_tree;
    return NetworkKind::legacy;
}

// The counted actions of a network's table: those of one name, or, with per_datatype_ERT, NAME_TENSOR per tensor. The
// last argument is the number of receivers.
struct Transfers {
    std::string action;
    std::string receivers;
    bool by_tensor = false;

    // The tensor of a counted action; "" if shared by all tensors; empty for any other action.
    std::optional<std::string> tensor_of(const std::string& name) const {
        if (!by_tensor) return name == action ? std::optional<std::string>("") : std::nullopt;
        if (!name.starts_with(action + "_")) return std::nullopt;
        return name.substr(action.size() + 1);
    }
};

// An unused table would make transfers silently free.
[[noreturn]] void refuse_table(const yaml::Node& table, const std::string& network, const Transfers& transfers) {
    const yaml::Node& name = table.at("actions").items().front().at("name");
    name.fail(ErrorCode::unsupported, "no energy of the network '" + network +
                                          "' can be read from this table: it has '" + name.text() +
                                          "', but what counts are actions " +
                                          (transfers.action.empty() ? "that the network's action_name names"
                                           : transfers.by_tensor    ? transfers.action + "_TENSOR (per_datatype_ERT)"
                                                                    : "'" + transfers.action + "' (action_name)") +
                                          " with the argument that " +
                                          (transfers.receivers.empty() ? "its multicast_factor_argument names"
                                                                       : "counts receivers, " + transfers.receivers));
}

// Energy of a delivery by number of receivers.
void set_multicast_energy(const Component& network, const yaml::Node& table, Link& link) {
    const Transfers transfers{network.attributes.text({"action_name"}).value_or(""),
                              network.attributes.text({"multicast_factor_argument"}).value_or(""),
                              network.attributes.boolean({"per_datatype_ERT"}).value_or(false)};
    bool costs = false;
    for (const yaml::Node& entry : table.at("actions").items()) {
        const double energy = entry.at("energy").real();
        costs = costs || energy != 0.0;
        const std::optional<std::string> tensor = transfers.tensor_of(entry.at("name").text());
        const yaml::Node* arguments = entry.find("arguments");
        const yaml::Node* factor = arguments == nullptr || transfers.receivers.empty() || !arguments->is_map()
                                       ? nullptr
                                       : arguments->find(transfers.receivers);
        if (!tensor || factor == nullptr) continue;
        auto& energies = tensor->empty() ? link.multicast_energy_pj : link.tensor_multicast_energy_pj[*tensor];
        energies[factor->positive()] = energy;
    }
    if (costs && link.multicast_energy_pj.empty() && link.tensor_multicast_energy_pj.empty())
        refuse_table(table, network.name, transfers);
}

Link defined_link(const Component& network, const yaml::Node* table) {
    const Attributes& attributes = network.attributes;
    Link link;
    link.name = network.name;
    link.user_defined = true;
    link.kind = kind_of(network.component_class);
    link.word_bits = attributes.positive({"network_word_bits"})
                         .value_or(attributes.positive({"word_bits", "datawidth"}).value_or(16));
    set_energies(attributes, link);
    link.adder_energy_pj = attributes.real_from({"adder_energy"}, 0.0).value_or(0.0);
    link.fill_latency_cycles = attributes.not_negative({"fill_latency"}).value_or(0);
    link.drain_latency_cycles = attributes.not_negative({"drain_latency"}).value_or(0);
    if (table != nullptr && link.kind == NetworkKind::simple_multicast) set_multicast_energy(network, *table, link);
    return link;
}

class Connector {
   public:
    explicit Connector(const MachineFile& machine) : machine_(machine) {}

    // The network named by `outer` under `outer_key` and by the inner level under `inner_key`; empty if by neither.
    std::optional<Link> find(const Component& outer, const char* outer_key, const Component& inner,
                             const char* inner_key) const;

   private:
    const MachineFile& machine_;
};

std::optional<Link> Connector::find(const Component& outer, const char* outer_key, const Component& inner,
                                    const char* inner_key) const {
    const std::optional<std::string> name = outer.attributes.text({outer_key});
    const std::optional<std::string> other = inner.attributes.text({inner_key});
    if (!name && !other) return std::nullopt;
    if (!name)
        inner.attributes.find({inner_key})
            ->fail(ErrorCode::missing_key, "'" + inner.name + "' has " + inner_key + " = '" + *other + "', but '" +
                                               outer.name + "' around it has no " + outer_key);
    if (name != other)
        outer.attributes.find({outer_key})
            ->fail(ErrorCode::bad_value, "'" + outer.name + "' has " + outer_key + " = '" + *name + "', so '" +
                                             inner.name + "' inside it needs " + inner_key + ": " + *name +
                                             (other ? ", found '" + *other + "'" : ""));
    for (const Component& network : machine_.networks) {
        if (network.name == *name) return defined_link(network, find_table(machine_.root, "ERT", *name));
    }
    outer.attributes.find({outer_key})
        ->fail(ErrorCode::unknown_name,
               "there is no network '" + *name + "'" + did_you_mean(*name, names_of(machine_.networks)));
}

}  // namespace

void connect_networks(const MachineFile& machine, Architecture& architecture) {
    const Connector connector(machine);
    for (int i = 0; i < architecture.memory_count(); ++i) {
        const Component& outer = machine.memories[i];
        const bool innermost = i + 1 == architecture.memory_count();
        const Component& inner = innermost ? machine.compute : machine.memories[i + 1];
        Memory& memory = architecture.memories[i];
        const std::optional<Link> read =
            connector.find(outer, "network_read", inner, innermost ? "network_operand" : "network_fill");
        const std::optional<Link> update =
            connector.find(outer, "network_update", inner, innermost ? "network_result" : "network_drain");
        memory.link = read ? *read : inferred_link(outer, memory, inner.name);
        memory.link.passages = outer.passages;
        if (update && update->name != memory.link.name) memory.update_link = update;
    }
}

}  // namespace tilewright::timeloop
