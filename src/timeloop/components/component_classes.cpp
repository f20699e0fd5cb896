#include "timeloop/components/component_classes.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "timeloop/expression/expression.hpp"

namespace tilewright::timeloop {
namespace {

template <std::size_t kCount>
bool contains_any(std::string_view text, const std::array<std::string_view, kCount>& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

constexpr std::array<std::string_view, 5> kMemory{"DRAM", "SRAM", "regfile", "smartbuffer", "storage"};
constexpr std::array<std::string_view, 2> kCompute{"mac", "compute"};
constexpr std::array<std::string_view, 4> kNetwork{"XY_NoC", "Legacy", "ReductionTree", "SimpleMulticast"};
constexpr std::array<std::string_view, 6> kPassive{"wire", "adder", "multiplier", "counter", "comparator", "crossbar"};

}  // namespace

Role role_of(std::string_view component_class) {
    if (contains_any(component_class, kMemory)) return Role::memory;
    if (contains_any(component_class, kCompute)) return Role::compute;
    if (contains_any(component_class, kNetwork)) return Role::network;
    std::string lower(component_class);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return contains_any(lower, kPassive) ? Role::passive : Role::unknown;
}

std::string known_classes() {
    return "a memory's class contains DRAM, SRAM, regfile, smartbuffer or storage, a compute unit's contains mac or "
           "compute, a network's contains XY_NoC, Legacy, ReductionTree or SimpleMulticast";
}

namespace {

// Defined in files of Timeloop's standard library; estimators know them by name.
bool is_standard(const std::string& name) {
    static const std::vector<std::string> kStandard{
        "SRAM",   "DRAM",  "regfile", "smartbuffer_SRAM", "smartbuffer_RF", "smartbuffer",
        "intmac", "fpmac", "mac",     "aladdin_register"};
    return std::find(kStandard.begin(), kStandard.end(), name) != kStandard.end();
}

std::vector<yaml::Node> definitions(const yaml::Node& root) {
    std::vector<yaml::Node> found;
    for (const char* name : {"components", "compound_components"}) {
        const yaml::Node* section = root.find(name);
        if (section == nullptr || section->is_null()) continue;
        const yaml::Node* classes = section->is_map() ? section->find("classes") : section;
        if (classes != nullptr) found.insert(found.end(), classes->items().begin(), classes->items().end());
    }
    return found;
}

const yaml::Node* parts_of(const yaml::Node& definition) {
    const yaml::Node* parts = definition.find("subcomponents");
    return parts == nullptr || parts->items().empty() ? nullptr : parts;
}

}  // namespace

std::optional<yaml::Node> find_compound(const yaml::Node& root, const std::string& name) {
    for (const yaml::Node& definition : definitions(root))
        if (definition.at("name").text() == name) return definition;
    return std::nullopt;
}

std::vector<std::string> names_in_use(const yaml::Node& root, const yaml::Node& architecture) {
    std::vector<std::string> names = words_in(architecture);
    for (const yaml::Node& definition : definitions(root)) {
        const std::vector<std::string> words = words_in(definition);
        names.insert(names.end(), words.begin(), words.end());
        if (const yaml::Node* attributes = definition.find("attributes"))
            for (const yaml::Node::Entry& entry : attributes->entries()) names.push_back(entry.key);
    }
    return names;
}

std::string unknown_class(const yaml::Node& root, const std::string& name) {
    if (!find_compound(root, name)) return "unknown class '" + name + "': " + known_classes();
    const Role role = role_of(resolved_class(root, name));
    return "'" + name + "' is a compound component, which stands under 'subclass': write class: " +
           (role == Role::compute ? "compute" : "storage") + ", subclass: " + name;
}

std::string resolved_class(const yaml::Node& root, const std::string& name) {
    std::vector<std::string> path{name};
    for (;;) {
        const std::string& current = path.back();
        const std::optional<yaml::Node> definition = find_compound(root, current);
        if (!definition) return current;
        const yaml::Node* parts = parts_of(*definition);
        if (parts == nullptr) return "";
        if (is_standard(current)) return current;
        const std::vector<yaml::Node>& items = parts->items();
        const auto central = std::find_if(items.begin(), items.end(), [](const yaml::Node& part) {
            const Role role = role_of(part.at("class").text());
            return role == Role::memory || role == Role::compute;
        });
        const yaml::Node& next = (central == items.end() ? items.front() : *central).at("class");
        if (std::find(path.begin(), path.end(), next.text()) != path.end())
            next.fail(ErrorCode::cyclic_inheritance, "the class '" + next.text() + "' is made of itself");
        path.push_back(next.text());
    }
}

const std::vector<std::string>& known_attributes() {
    static const std::vector<std::string> kKnown{
        // words and capacity
        "word_bits", "word_width", "datawidth", "block_size", "n_words", "cluster_size", "width", "memory_width",
        "data_storage_width", "entries", "depth", "memory_depth", "data_storage_depth", "sizeKB", "size",
        "multiple_buffering", "min_utilization", "holds_scales", "reserved_words", "alignment_words", "own_banks",
        "buffers", "tile",
        // bandwidth
        "read_bandwidth", "write_bandwidth", "shared_bandwidth", "bandwidth",
        "per_dataspace_bandwidth_consumption_scale",
        // instances
        "instances", "meshX", "meshY",
        // energy and area
        "vector_access_energy", "addr_gen_energy", "cluster_area", "energy", "area", "power_gated_at",
        "has_power_gating", "n_instances",
        // inputs of an estimator
        "technology", "type", "n_banks", "num_banks", "nbanks", "banks", "n_ports", "num_ports", "nports", "ports",
        "n_rd_ports", "n_wr_ports", "n_rdwr_ports", "n_rd_wr_ports", "n_rw_ports", "multiplier_width", "adder_width",
        "global_cycle_seconds", "cycle_seconds", "cycle_time", "frequency", "clock_frequency",
        // networks
        "network_word_bits", "network_type", "network_read", "network_fill", "network_update", "network_drain",
        "network_operand", "network_result", "network_fill_latency", "network_drain_latency", "fill_latency",
        "drain_latency", "router_energy", "wire_energy", "energy_per_hop", "tile_width", "adder_energy", "action_name",
        "multicast_factor_argument", "per_datatype_ERT", "reduction_supported",
        // sparse features: accepted only when switched off (hierarchy and tree readers refuse the rest)
        "metadata_storage_width", "metadata_storage_depth", "metadata_datawidth", "metadata_counter_width",
        "metadata_block_size", "metadata_word_bits", "metadata_width", "metadata_depth", "metadata_n_banks",
        "decompression_supported", "compression_supported", "tile_partition_supported",
        "concordant_compressed_tile_traversal", "allow_overbooking",
        // circuits of arrays computing in memory (cim/component.hpp)
        "capacitance", "n_steps", "resolution", "n_adcs", "throughput", "rows", "cols", "cols_active_at_once",
        "cell_config", "average_input_value", "average_cell_value", "read_pulse_width", "temporal_dac_bits",
        "temporal_spiking", "sequential", "energy_scale",
        // known to Accelergy's plug-ins or written by Timeloop's front end; without effect here
        "version", "name", "class", "subclass", "latency", "action_latency_cycles", "update_fifo_depth", "n_bits",
        "precision", "length", "voltage", "temperature", "num_pipeline_stages", "num_pipline_stages", "pipeline_stages",
        "data_width", "exponent", "mantissa", "page_bits", "bus_width", "burst_size", "n_ranks", "cache_type",
        "tag_size", "associativity", "n_row", "n_col"};
    return kKnown;
}

bool is_in(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace tilewright::timeloop
