#include "timeloop/machine/networks.hpp"

#include "timeloop/files/names.hpp"
#include "timeloop/machine/tables.hpp"

namespace tilewright::timeloop {
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
