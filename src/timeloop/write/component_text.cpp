#include "timeloop/write/component_text.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "timeloop/machine/machine.hpp"
#include "timeloop/sparse/read_sparse.hpp"
#include "yaml/write.hpp"

namespace tilewright::timeloop {
namespace {

void add_number(Fields& fields, const char* key, const std::optional<double>& value) {
    if (value) fields.emplace_back(key, yaml::number_text(*value));
}

void add_class(const Geometry& geometry, const std::string& component_class, Fields& beside) {
    if (geometry.kind != component_class)
        beside.emplace_back("subclass", geometry.kind.empty() ? kClassWithoutParts : yaml::scalar_text(geometry.kind));
    if (geometry.energy_scale != 1.0) beside.emplace_back("energy_scale", yaml::number_text(geometry.energy_scale));
    if (geometry.area_scale != 1.0) beside.emplace_back("area_scale", yaml::number_text(geometry.area_scale));
}

/// "-1" is what Timeloop's files write for none.
std::string technology_text(const Geometry& geometry) {
    return geometry.technology.empty() ? "-1" : yaml::quoted_text(geometry.technology);
}

// A cluster's row; a row of a fractional number of blocks is read as the file's only statement on blocks.
void add_words(const Memory& memory, Fields& fields) {
    const std::int64_t block_bits = checked_mul(memory.word_bits, memory.block_words);
    const bool whole = checked_mul(block_bits, memory.cluster_size) == memory.geometry.width_bits;
    fields.emplace_back("datawidth", std::to_string(memory.word_bits));
    if (whole && memory.block_words != 1) fields.emplace_back("block_size", std::to_string(memory.block_words));
    if (memory.cluster_size != 1) fields.emplace_back("cluster_size", std::to_string(memory.cluster_size));
    fields.emplace_back("width", std::to_string(memory.geometry.width_bits));
}

void add_capacity(const Memory& memory, Fields& fields) {
    const Geometry& geometry = memory.geometry;
    if (!memory.capacity_words) return;
    const std::int64_t rows = ceil_div(*memory.capacity_words, memory.block_words);
    const bool by_rows = checked_mul(geometry.depth, memory.block_words) == *memory.capacity_words;
    if (by_rows && *memory.capacity_words > 0) {
        fields.emplace_back("depth", std::to_string(geometry.depth));
        return;
    }
    fields.emplace_back("entries", std::to_string(*memory.capacity_words));
    if (geometry.depth != rows) fields.emplace_back("depth", std::to_string(geometry.depth));
}

void add_bandwidths(const Memory& memory, Fields& fields) {
    add_number(fields, "read_bandwidth", memory.read_words_per_cycle);
    add_number(fields, "write_bandwidth", memory.write_words_per_cycle);
    add_number(fields, "shared_bandwidth", memory.shared_words_per_cycle);
    if (memory.bandwidth_scale.empty()) return;
    Fields scales;
    for (const auto& [tensor, scale] : memory.bandwidth_scale)
        scales.emplace_back(yaml::scalar_text(tensor), yaml::number_text(scale));
    fields.emplace_back("per_dataspace_bandwidth_consumption_scale", fields_text(scales));
}

std::string action_text(const char* name, const Sourced& energy) {
    if (energy.source.empty()) return "";
    return std::string("{name: ") + name + ", energy: " + yaml::number_text(energy.value) + "}";
}

std::string table_of(const std::string& name, const std::vector<std::string>& actions,
                     const std::vector<std::string>& more = {}) {
    std::string text;
    for (const std::vector<std::string>* list : {&actions, &more})
        for (const std::string& action : *list)
            if (!action.empty()) text += (text.empty() ? "" : ", ") + action;
    return text.empty() ? "" : "{name: " + yaml::scalar_text(name) + ", actions: [" + text + "]}";
}

// One attribute if all four numbers are equal; else a table.
void add_energies(const Memory& memory, const std::vector<std::string>& priced, ComponentText& component) {
    const MemoryEnergy& energy = memory.energy;
    const auto given = [](const Sourced& one) { return !one.source.empty(); };
    const bool all = given(energy.read_pj) && given(energy.fill_pj) && given(energy.update_pj);
    const bool equal = energy.read_pj.value == energy.fill_pj.value && energy.read_pj.value == energy.update_pj.value;
    if (priced.empty() && all && equal && given(energy.leak_pj_per_cycle) && energy.leak_pj_per_cycle.value == 0.0) {
        component.attributes.emplace_back("vector_access_energy", yaml::number_text(energy.read_pj.value));
        return;
    }
    // "write" alone would also be taken for updates.
    const char* fill = given(energy.update_pj) ? "write" : "fill";
    component.energies =
        table_of(memory.name,
                 {action_text("read", energy.read_pj), action_text(fill, energy.fill_pj),
                  action_text("update", energy.update_pj), action_text("leak", energy.leak_pj_per_cycle)},
                 priced);
}

std::string area_table(const std::string& name, double area) {
    return "{name: " + yaml::scalar_text(name) + ", area: " + yaml::number_text(area) + "}";
}

void add_area(const Memory& memory, ComponentText& component) {
    if (memory.area_um2.source.empty()) return;
    const double clusters = static_cast<double>(memory.cluster_size);
    const double area = memory.area_um2.value * clusters;
    if (area / clusters == memory.area_um2.value)
        component.attributes.emplace_back("cluster_area", yaml::number_text(area));
    else
        component.areas = area_table(memory.name, memory.area_um2.value);
}

// A spread-only level, for any estimator.
bool costs_nothing(const Memory& memory) {
    const MemoryEnergy& energy = memory.energy;
    return memory.spreads_only && energy.read_pj.value == 0.0 && energy.fill_pj.value == 0.0 &&
           energy.update_pj.value == 0.0 && energy.leak_pj_per_cycle.value == 0.0 && memory.area_um2.value == 0.0;
}

const char* spread_text(NetworkSpread spread) {
    switch (spread) {
        case NetworkSpread::one_to_one: return "1:1";
        case NetworkSpread::one_to_many: return "1:N";
        case NetworkSpread::many_to_many: return "M:N";
        case NetworkSpread::unspecified: break;
    }
    return "";
}

void add_link_energies(const Link& link, Fields& fields) {
    add_number(fields, "energy_per_hop", link.energy_per_hop_pj);
    add_number(fields, "wire_energy", link.wire_energy_pj_per_bit_mm);
    add_number(fields, "router_energy", link.router_energy_pj);
    add_number(fields, "tile_width", link.tile_width_um);
}

void add_inferred_link(const Memory& memory, Fields& fields) {
    const Link& link = memory.link;
    if (link.user_defined) return;
    if (link.spread != NetworkSpread::unspecified)
        fields.emplace_back("network_type", std::string("\"") + spread_text(link.spread) + "\"");
    if (link.word_bits != memory.word_bits) fields.emplace_back("network_word_bits", std::to_string(link.word_bits));
    add_link_energies(link, fields);
    if (link.fill_latency_cycles != 0)
        fields.emplace_back("network_fill_latency", std::to_string(link.fill_latency_cycles));
    if (link.drain_latency_cycles != 0)
        fields.emplace_back("network_drain_latency", std::to_string(link.drain_latency_cycles));
}

void check_class(const std::string& name, const std::string& component_class) {
    if (component_class.empty())
        refuse_to_write(name, "it has no class, which the form needs (SRAM, regfile, DRAM, intmac, ...)");
}

}  // namespace

void refuse_to_write(const std::string& component, const std::string& what) {
    throw InputError(ErrorCode::unsupported, {}, "'" + component + "': " + what);
}

std::string fields_text(const Fields& fields) {
    std::string text;
    for (const auto& [key, value] : fields) {
        if (!text.empty()) text += ", ";
        text += key;
        text += ": ";
        text += value;
    }
    return "{" + text + "}";
}

ComponentText component_text(const Memory& memory, MachineForm form, const std::vector<std::string>& priced) {
    check_class(memory.name, memory.component_class);
    ComponentText component{memory.name, memory.component_class, {}, {}, {}, {}};
    add_class(memory.geometry, memory.component_class, component.beside);
    Fields& fields = component.attributes;
    const bool named_dram = memory.component_class.find("DRAM") != std::string::npos;
    fields.emplace_back("technology", memory.is_dram && !named_dram ? "\"DRAM\"" : technology_text(memory.geometry));
    if (memory.is_dram && !memory.geometry.dram_type.empty())
        fields.emplace_back("type", yaml::scalar_text(memory.geometry.dram_type));
    add_capacity(memory, fields);
    add_words(memory, fields);
    fields.emplace_back("n_banks", std::to_string(memory.geometry.banks));
    if (memory.geometry.ports != 1) fields.emplace_back("n_ports", std::to_string(memory.geometry.ports));
    if (memory.multiple_buffering != 1.0)
        fields.emplace_back("multiple_buffering", yaml::number_text(memory.multiple_buffering));
    if (memory.min_utilization != 0.0)
        fields.emplace_back("min_utilization", yaml::number_text(memory.min_utilization));
    if (!memory.holds_scales) fields.emplace_back("holds_scales", "false");
    add_bandwidths(memory, fields);
    const bool usual = form == MachineForm::hierarchy || !memory.is_dram;
    if (memory.reduces != usual || !memory.reduces)
        fields.emplace_back("reduction_supported", memory.reduces ? "True" : "False");
    if (memory.power_gated_at) fields.emplace_back("power_gated_at", yaml::scalar_text(*memory.power_gated_at));
    const bool free = memory.geometry.kind.empty() || costs_nothing(memory);
    if (!free || !priced.empty()) add_energies(memory, priced, component);
    add_number(fields, "addr_gen_energy", memory.address_energy_pj);
    if (!free) add_area(memory, component);
    add_inferred_link(memory, fields);
    return component;
}

ComponentText component_text(const Compute& compute, MachineForm, const std::vector<std::string>& priced) {
    check_class(compute.name, compute.component_class);
    ComponentText component{compute.name, compute.component_class, {}, {}, {}, {}};
    add_class(compute.geometry, compute.component_class, component.beside);
    Fields& fields = component.attributes;
    fields.emplace_back("technology", technology_text(compute.geometry));
    fields.emplace_back("datawidth", std::to_string(compute.word_bits));
    fields.emplace_back("multiplier_width", std::to_string(compute.geometry.multiplier_bits));
    if (compute.geometry.adder_bits > 0)
        fields.emplace_back("adder_width", std::to_string(compute.geometry.adder_bits));
    if (!compute.leak_pj_per_cycle.source.empty() || !priced.empty())
        component.energies = table_of(
            compute.name, {action_text("compute", compute.energy_pj), action_text("leak", compute.leak_pj_per_cycle)},
            priced);
    else if (!compute.energy_pj.source.empty())
        fields.emplace_back("energy", yaml::number_text(compute.energy_pj.value));
    if (!compute.area_um2.source.empty()) fields.emplace_back("area", yaml::number_text(compute.area_um2.value));
    return component;
}

ComponentText network_text(const Link& link) {
    static constexpr const char* kTransfer = "transfer";
    static constexpr const char* kReceivers = "n_receivers";
    ComponentText component{link.name, "", {}, {}, {}, {}};
    component.component_class = link.kind == NetworkKind::simple_multicast ? "SimpleMulticast"
                                : link.kind == NetworkKind::reduction_tree ? "ReductionTree"
                                                                           : "XY_NoC";
    Fields& fields = component.attributes;
    fields.emplace_back("network_word_bits", std::to_string(link.word_bits));
    add_link_energies(link, fields);
    if (link.adder_energy_pj != 0.0) fields.emplace_back("adder_energy", yaml::number_text(link.adder_energy_pj));
    if (link.fill_latency_cycles != 0) fields.emplace_back("fill_latency", std::to_string(link.fill_latency_cycles));
    if (link.drain_latency_cycles != 0) fields.emplace_back("drain_latency", std::to_string(link.drain_latency_cycles));
    if (link.multicast_energy_pj.empty() && link.tensor_multicast_energy_pj.empty()) return component;
    fields.emplace_back("action_name", kTransfer);
    fields.emplace_back("multicast_factor_argument", kReceivers);
    if (!link.tensor_multicast_energy_pj.empty()) fields.emplace_back("per_datatype_ERT", "True");
    std::vector<std::string> actions;
    const auto add_actions = [&](const std::string& name, const std::map<std::int64_t, double>& energies) {
        for (const auto& [receivers, energy] : energies)
            actions.push_back("{name: " + name + ", arguments: {" + kReceivers + ": " + std::to_string(receivers) +
                              "}, energy: " + yaml::number_text(energy) + "}");
    };
    add_actions(kTransfer, link.multicast_energy_pj);
    for (const auto& [tensor, energies] : link.tensor_multicast_energy_pj)
        add_actions(std::string(kTransfer) + "_" + tensor, energies);
    component.energies = table_of(link.name, actions);
    return component;
}

namespace {

using sparse::AccessEnergies;
using sparse::MemoryDesign;
using yaml::Node;

/// A section about one level: all active entries, in file order.
struct LevelSection {
    std::string level;
    const Node* node;
};

std::vector<LevelSection> sections_of(const MachineFile& machine, const Node& root) {
    std::vector<LevelSection> sections;
    for (const auto& [level, node] : machine.sparse_sections) sections.push_back({level, &node});
    const Node* own = root.find("sparse_optimizations");
    const Node* targets = own == nullptr ? nullptr : own->is_map() ? own->find("targets") : own;
    if (targets == nullptr || targets->is_null()) return sections;
    for (const Node& target : targets->items())
        sections.push_back({(target.has("name") ? target.at("name") : target.at("target")).text(), &target});
    return sections;
}

std::string section_text(const LevelSection& section) {
    std::string text = "  - name: " + yaml::scalar_text(section.level) + "\n";
    for (const char* key : {"representation_format", "action_optimization", "compute_optimization"})
        if (const Node* given = section.node->find(key); given != nullptr && !given->is_null())
            text += std::string("    ") + key + ": " + yaml::flow_text(*given) + "\n";
    return text;
}

Fields metadata_fields(const MemoryDesign& built) {
    Fields fields;
    const auto add = [&](const char* key, std::int64_t value) {
        if (value != 0) fields.emplace_back(key, std::to_string(value));
    };
    add("metadata_datawidth", built.metadata_word_bits);
    add("metadata_storage_width", built.metadata_width_bits);
    if (built.metadata_depth) fields.emplace_back("metadata_storage_depth", std::to_string(*built.metadata_depth));
    if (built.decompresses) fields.emplace_back("decompression_supported", "True");
    if (built.compresses) fields.emplace_back("compression_supported", "True");
    return fields;
}

std::string priced(const std::string& action, double energy_pj) {
    return "{name: " + action + ", energy: " + yaml::number_text(energy_pj) + "}";
}

// A kind missing from an ERT would be gated, or free: once priced, a kind is written in full.
void add_priced(const std::string& kind, const AccessEnergies& energies, std::vector<std::string>& actions) {
    actions.push_back(priced(kind + "read", energies.read_pj));
    actions.push_back(priced(kind + "fill", energies.fill_pj));
    actions.push_back(priced(kind + "update", energies.update_pj));
}

std::vector<std::string> sparse_energies(const MemoryDesign& built) {
    std::vector<std::string> actions;
    const AccessEnergies free;
    if (built.gated != free || built.skipped != free) {
        add_priced("gated_", built.gated, actions);
        add_priced("skipped_", built.skipped, actions);
    }
    if (built.metadata != free) add_priced("metadata_", built.metadata, actions);
    if (built.gated_metadata != free || built.skipped_metadata != free) {
        add_priced("gated_metadata_", built.gated_metadata, actions);
        add_priced("skipped_metadata_", built.skipped_metadata, actions);
    }
    if (built.decompression_pj != 0.0) actions.push_back(priced("decompression_count", built.decompression_pj));
    if (built.compression_pj != 0.0) actions.push_back(priced("compression_count", built.compression_pj));
    return actions;
}

std::string texts_of(const std::vector<LevelSection>& sections) {
    std::string text;
    for (const LevelSection& section : sections) text += section_text(section);
    return text;
}

}  // namespace

SparseText sparse_text(const Node& root, const Architecture& architecture) {
    SparseText text;
    const sparse::Design built = read_sparse_hardware(root, architecture);
    for (std::size_t m = 0; m < built.memories.size(); ++m) {
        const std::string& name = architecture.memories[m].name;
        if (Fields fields = metadata_fields(built.memories[m]); !fields.empty()) text.attributes[name] = fields;
        if (std::vector<std::string> actions = sparse_energies(built.memories[m]); !actions.empty())
            text.energies[name] = actions;
    }
    const double whole_pj = architecture.compute.energy_pj.value;
    if (built.gated_compute_pj != whole_pj || built.skipped_compute_pj != whole_pj)
        text.energies[architecture.compute.name] = {priced("compute_gated", built.gated_compute_pj),
                                                    priced("compute_skipped", built.skipped_compute_pj)};
    const MachineFile machine = read_machine(root, Sparsity::read);
    const std::string sections = texts_of(sections_of(machine, root));
    if (!sections.empty()) text.section = "\nsparse_optimizations:\n  version: 0.4\n  targets:\n" + sections;
    return text;
}

std::string sparse_difference(const Node& a, const Node& b, const Architecture& architecture) {
    const sparse::Design first = read_sparse_hardware(a, architecture);
    const sparse::Design second = read_sparse_hardware(b, architecture);
    for (std::size_t m = 0; m < first.memories.size(); ++m)
        if (first.memories[m] != second.memories[m])
            return "'" + architecture.memories[m].name + "': metadata, or energies of what is gated or skipped";
    if (first != second) return "'" + architecture.compute.name + "': energies of computes that are gated or skipped";
    const MachineFile machine_a = read_machine(a, Sparsity::read);
    const MachineFile machine_b = read_machine(b, Sparsity::read);
    return texts_of(sections_of(machine_a, a)) == texts_of(sections_of(machine_b, b)) ? "" : "sparse_optimizations";
}

}  // namespace tilewright::timeloop
