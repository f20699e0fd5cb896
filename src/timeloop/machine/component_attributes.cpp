#include "timeloop/machine/component_attributes.hpp"

#include <algorithm>
#include <cmath>

#include "arch/estimation/memories.hpp"
#include "arch/estimation/technology.hpp"
#include "base/numbers/checked.hpp"
#include "timeloop/components/component_classes.hpp"
#include "timeloop/components/units.hpp"

namespace tilewright::timeloop {
namespace {

[[noreturn]] void fail(const Component& component, ErrorCode code, const std::string& message) {
    component.node.fail(code, "'" + component.name + "': " + message);
}

std::int64_t instances_of(const Component& component) {
    const std::optional<std::int64_t> given = component.attributes.positive({"instances"});
    if (given) return *given;
    if (component.instances) return *component.instances;
    fail(component, ErrorCode::missing_key, "'instances' is missing");
}

std::int64_t other_side(const Component& component, std::int64_t instances, std::int64_t side, const char* name) {
    if (instances % side != 0)
        fail(component, ErrorCode::bad_value,
             std::to_string(instances) + " instances do not divide into " + name + " = " + std::to_string(side));
    return instances / side;
}

// A missing side follows from the other; without both, all along X.
Mesh mesh_of(const Component& component, std::int64_t instances) {
    if (component.mesh) return *component.mesh;
    const std::optional<std::int64_t> x = component.attributes.positive({"meshX"});
    const std::optional<std::int64_t> y = component.attributes.positive({"meshY"});
    if (!x && !y) return {instances, 1};
    if (!y) return {*x, other_side(component, instances, *x, "meshX")};
    if (!x) return {other_side(component, instances, *y, "meshY"), *y};
    if (checked_mul(*x, *y) != instances)
        fail(component, ErrorCode::bad_value,
             "meshX * meshY = " + std::to_string(*x * *y) + ", but it has " + std::to_string(instances) + " instances");
    return {*x, *y};
}

void check_width(const Component& component, const Memory& memory, std::int64_t width) {
    const std::int64_t product = checked_mul(checked_mul(memory.block_words, memory.word_bits), memory.cluster_size);
    if (product != width)
        fail(component, ErrorCode::bad_value,
             "'width' is " + std::to_string(width) +
                 ", but block_size * word bits * cluster_size = " + std::to_string(product));
}

std::int64_t clusters_in(const Component& component, const Memory& memory, std::int64_t width) {
    const std::int64_t block_bits = checked_mul(memory.word_bits, memory.block_words);
    if (width % block_bits != 0)
        fail(component, width < block_bits ? ErrorCode::too_small : ErrorCode::bad_value,
             "a row of " + std::to_string(width) + " bits is not a whole number of blocks of " +
                 std::to_string(memory.block_words) + " x " + std::to_string(memory.word_bits) + " bits");
    return width / block_bits;
}

// A row is shared by the cluster; some files give one instance's row instead.
std::int64_t words_in_row(const Component& component, const Memory& memory, std::int64_t width) {
    if (width < memory.word_bits)
        fail(component, ErrorCode::too_small,
             "a row of " + std::to_string(width) + " bits cannot hold one word of " + std::to_string(memory.word_bits) +
                 " bits");
    const std::int64_t shared = width / memory.cluster_size / memory.word_bits;
    return shared > 0 ? shared : width / memory.word_bits;
}

// Row width, block and cluster, each from the others.
void set_words(const Component& component, Memory& memory) {
    const Attributes& attributes = component.attributes;
    memory.word_bits = attributes.positive({"word_bits", "word_width", "datawidth"}).value_or(16);
    const std::optional<std::int64_t> block = attributes.positive({"block_size", "n_words"});
    const std::optional<std::int64_t> cluster = attributes.positive({"cluster_size"});
    const std::optional<std::int64_t> width = attributes.positive({"width", "memory_width", "data_storage_width"});
    memory.block_words = block.value_or(1);
    memory.cluster_size = cluster.value_or(1);
    if (!width) return;
    if (block && cluster)
        check_width(component, memory, *width);
    else if (block)
        memory.cluster_size = clusters_in(component, memory, *width);
    else
        memory.block_words = words_in_row(component, memory, *width);
}

// At most one spelling of a memory's capacity.
void check_said_once(const Component& component) {
    const Attributes& attributes = component.attributes;
    const bool in_words =
        attributes.has({"entries"}) || attributes.has({"depth", "memory_depth", "data_storage_depth"});
    const yaml::Node* kilobytes = attributes.find({"sizeKB"});
    const yaml::Node* size = attributes.find({"size"});
    if (kilobytes != nullptr && in_words)
        fail(component, ErrorCode::bad_value, "'sizeKB' contradicts 'entries' or 'depth': give one of them");
    if (size != nullptr && (in_words || kilobytes != nullptr))
        fail(component, ErrorCode::bad_value, "'size' contradicts 'entries', 'depth' or 'sizeKB': give one of them");
}

// sizeKB is rounded down to whole words, for compatibility; a size with a unit must be whole.
std::optional<std::int64_t> words_of_size(const Component& component, const Memory& memory) {
    const Attributes& attributes = component.attributes;
    if (const yaml::Node* size = attributes.find({"size"})) {
        const std::optional<Amount> amount = size->is_scalar() ? amount_in(size->text()) : std::nullopt;
        if (!amount || amount->unit != Unit::bytes)
            size->fail(ErrorCode::bad_value, "'size' takes bytes with their unit, such as 64KiB");
        return whole_amount(attributes, {"size"}, memory.word_bits);
    }
    const std::optional<double> kilobytes = kibibytes(attributes, {"sizeKB"});
    if (!kilobytes) return std::nullopt;
    const double words = std::floor(*kilobytes * 1024.0 * 8.0 / static_cast<double>(memory.word_bits));
    if (!(words < 9.0e18)) fail(component, ErrorCode::overflow, "'sizeKB' does not fit in 64 bits");
    return static_cast<std::int64_t>(words);
}

std::int64_t row_bits(const Memory& memory) {
    return checked_mul(checked_mul(memory.word_bits, memory.block_words), memory.cluster_size);
}

// Bytes of a depth span all rows, cluster-wide.
std::optional<std::int64_t> depth_of(const Attributes& attributes, std::int64_t bits_of_row) {
    return whole_amount(attributes, {"depth", "memory_depth", "data_storage_depth"}, bits_of_row);
}

void set_capacity(const Component& component, Memory& memory) {
    const Attributes& attributes = component.attributes;
    check_said_once(component);
    if (const std::optional<std::int64_t> entries = whole_amount(attributes, {"entries"}, memory.word_bits)) {
        memory.capacity_words = entries;
        memory.spreads_only = memory.spreads_only || *entries == 0;
    } else if (const auto depth = depth_of(attributes, row_bits(memory))) {
        memory.capacity_words = checked_mul(*depth, memory.block_words);
        const bool is_dummy = component.component_class.find("dummy") != std::string::npos;
        memory.spreads_only = memory.spreads_only || (is_dummy && *depth == 0);
    } else {
        memory.capacity_words = words_of_size(component, memory);
    }
    constexpr std::int64_t kMost = std::int64_t{1} << 53;  // exact integers of a double
    if (memory.capacity_words && *memory.capacity_words > kMost)
        fail(component, ErrorCode::overflow, "a capacity of more than 2^53 words cannot be counted");
    if (memory.capacity_words && *memory.capacity_words < 1 && !memory.spreads_only)
        fail(component, ErrorCode::too_small,
             "it cannot hold one word (write 'entries: 0' for a level that only spreads)");
    memory.multiple_buffering = attributes.real_from({"multiple_buffering"}, 0.0).value_or(1.0);
    if (memory.multiple_buffering == 0.0)
        fail(component, ErrorCode::bad_value, "'multiple_buffering' divides the capacity: it cannot be 0");
    memory.min_utilization = attributes.real_from({"min_utilization"}, 0.0).value_or(0.0);
    if (memory.min_utilization > 1.0)
        fail(component, ErrorCode::bad_value, "'min_utilization' is a share of the capacity, from 0 to 1");
    memory.holds_scales = attributes.boolean({"holds_scales"}).value_or(true);
}

void set_bandwidths(const Component& component, const Clock& clock, Memory& memory) {
    const Attributes& attributes = component.attributes;
    const WordRate rate{memory.word_bits, clock.assumed ? std::nullopt : std::optional(clock.cycle_seconds)};
    memory.read_words_per_cycle = words_per_cycle(attributes, {"read_bandwidth"}, rate);
    memory.write_words_per_cycle = words_per_cycle(attributes, {"write_bandwidth"}, rate);
    memory.shared_words_per_cycle = words_per_cycle(attributes, {"shared_bandwidth"}, rate);
    if (const auto both = words_per_cycle(attributes, {"bandwidth"}, rate)) {  // the old spelling: half for each
        if (!memory.read_words_per_cycle) memory.read_words_per_cycle = *both / 2;
        if (!memory.write_words_per_cycle) memory.write_words_per_cycle = *both / 2;
    }
    for (const char* key : {"read_bandwidth", "write_bandwidth", "shared_bandwidth", "bandwidth"})
        if (words_per_cycle(attributes, {key}, rate).value_or(1.0) == 0.0)
            fail(component, ErrorCode::bad_value, std::string("'") + key + "' cannot be 0: nothing would ever arrive");
    if (const yaml::Node* scales = attributes.find({"per_dataspace_bandwidth_consumption_scale"}))
        for (const yaml::Node::Entry& entry : scales->entries()) {
            const Value given = attributes.evaluator()->value(entry.value, attributes.scope());
            if (!given.is_number())
                entry.value.fail(ErrorCode::wrong_type, "a bandwidth scale needs a number, found " + to_text(given));
            const double scale = given.real();
            if (scale < 0.0) entry.value.fail(ErrorCode::bad_value, "a bandwidth scale cannot be negative");
            memory.bandwidth_scale[entry.key] = scale;
        }
}

// Words of compute units, which Timeloop ignores at a memory. Unless the reading is strict, read_over.cpp has dropped
// them with a note.
void refuse_words_of_compute(const Attributes& attributes) {
    for (const auto& [word, meant] : {std::pair{"area", "cluster_area"}, std::pair{"energy", "vector_access_energy"}})
        if (attributes.real_from({word}, 0.0).value_or(0.0) != 0.0)
            attributes.find({word})->fail(
                ErrorCode::unknown_key,
                std::string("'") + word + "' is of compute units; a memory has '" + meant + "'");
}

void set_energy(const Component& component, Memory& memory) {
    const Attributes& attributes = component.attributes;
    refuse_words_of_compute(attributes);
    memory.address_energy_pj = attributes.real_from({"addr_gen_energy"}, 0.0);
    if (const auto energy = attributes.real_from({"vector_access_energy"}, 0.0)) {
        const Sourced given{*energy, given_at(*attributes.find({"vector_access_energy"}))};
        memory.energy = {given, given, given, {0.0, given.source}};
    }
    if (const auto area = attributes.real_from({"cluster_area"}, 0.0))
        memory.area_um2 = {*area / static_cast<double>(memory.cluster_size),
                           given_at(*attributes.find({"cluster_area"}))};
}

std::int64_t ports_of(const Attributes& attributes) {
    if (const auto ports = attributes.positive({"n_ports", "num_ports", "nports", "ports"})) return *ports;
    std::int64_t sum = attributes.not_negative({"n_rd_ports"}).value_or(0);
    sum = checked_add(sum, attributes.not_negative({"n_wr_ports"}).value_or(0));
    sum = checked_add(sum, attributes.not_negative({"n_rdwr_ports", "n_rd_wr_ports", "n_rw_ports"}).value_or(0));
    return std::max<std::int64_t>(sum, 1);
}

// n_instances: real components per component of the machine. It multiplies an estimate, as in Accelergy, whose tables
// include it already. A shared driver may be a fraction.
void set_scales(const Component& component, Geometry& geometry) {
    const double real_ones = component.attributes.real_from({"n_instances"}, 0.0).value_or(1.0);
    geometry.energy_scale = component.energy_scale * real_ones;
    geometry.area_scale = component.area_scale * real_ones;
}

std::string kind_of(const Component& component, const MachineFile& machine) {
    return resolved_class(machine.root, component.subclass.empty() ? component.component_class : component.subclass);
}

// A file's own class without parts (an ideal register) costs nothing.
bool is_free(const Component& component, const MachineFile& machine) {
    const std::string& name = component.subclass.empty() ? component.component_class : component.subclass;
    return !name.empty() && kind_of(component, machine).empty();
}

// A type without an energy of its own would be taken for another one.
std::string dram_type_of(const Attributes& attributes) {
    const std::string type = attributes.text({"type"}).value_or("");
    if (!type.empty() && !estimate_dram(type) && !attributes.has({"vector_access_energy"})) {
        const std::vector<std::string> known = dram_types();
        const std::string hint = did_you_mean(type, known);
        attributes.find({"type"})->fail(ErrorCode::unknown_name, "there is no type of DRAM '" + type + "'" + hint +
                                                                     "; known are " + list_words(known));
    }
    return type;
}

void set_geometry(const Component& component, const MachineFile& machine, Memory& memory) {
    const Attributes& attributes = component.attributes;
    Geometry& geometry = memory.geometry;
    set_scales(component, geometry);
    geometry.technology = technology_of(attributes, machine);
    geometry.kind = kind_of(component, machine);
    geometry.width_bits = row_bits(memory);
    if (const auto width = attributes.positive({"width", "memory_width", "data_storage_width"}))
        geometry.width_bits = std::max(geometry.width_bits, *width);
    if (const auto depth = depth_of(attributes, row_bits(memory)))
        geometry.depth = *depth;
    else if (memory.capacity_words)
        geometry.depth = ceil_div(*memory.capacity_words, memory.block_words);
    // The front end of version 0.4 defaults to two banks per memory.
    const std::int64_t usual_banks = machine.form == Form::hierarchy ? 2 : 1;
    geometry.banks = attributes.positive({"n_banks", "num_banks", "nbanks", "banks"}).value_or(usual_banks);
    geometry.ports = ports_of(attributes);
    if (memory.is_dram) geometry.dram_type = dram_type_of(attributes);
    if (component.latch) {
        const Sourced free{0.0, "what its words cost is a passage's"};
        memory.energy = {free, free, free, free};
        memory.area_um2 = free;
    } else if (is_free(component, machine)) {
        const Sourced free{0.0, "the class '" +
                                    (component.subclass.empty() ? component.component_class : component.subclass) +
                                    "' has no parts"};
        memory.energy = {free, free, free, free};
        memory.area_um2 = free;
    }
}

std::int64_t counted(const yaml::Node& node) {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    if (node.positive() > kMost) node.fail(ErrorCode::bad_value, "expected 1 to 2^31");
    return node.positive();
}

TileRule tile_rule(const yaml::Node& node) {
    node.expect_keys({"multiple_of", "at_least", "at_most"});
    TileRule rule;
    if (const yaml::Node* multiple = node.find("multiple_of")) rule.multiple_of = counted(*multiple);
    if (const yaml::Node* least = node.find("at_least")) rule.at_least = counted(*least);
    if (const yaml::Node* most = node.find("at_most")) rule.at_most = counted(*most);
    if (rule == TileRule{}) node.fail(ErrorCode::bad_value, "expected 'multiple_of', 'at_least' or 'at_most'");
    if (rule.at_most && *rule.at_most / rule.multiple_of * rule.multiple_of < rule.at_least)
        node.fail(ErrorCode::bad_value, "no tile is legal: " + rule_text(rule));
    return rule;
}

// Words of whole banks, one tensor's each.
std::int64_t bank_words(const yaml::Node& given, const Attributes& attributes, const Memory& memory) {
    const std::int64_t banks = memory.geometry.banks;
    const std::int64_t words = memory.capacity_words.value_or(0);
    if (attributes.find({"alignment_words"}) != nullptr || banks < 1 || words < banks || words % banks != 0)
        given.fail(ErrorCode::bad_value,
                   "'own_banks' needs a capacity of whole banks ('n_banks'), and no 'alignment_words' beside it");
    return words / banks;
}

// What a compiler's tiles lose of a capacity (reserved words, whole banks or granules, several buffers of a tensor),
// and what extents they may have.
void set_rooms(const Component& component, Memory& memory) {
    const Attributes& attributes = component.attributes;
    memory.reserved_words = whole_amount(attributes, {"reserved_words"}, memory.word_bits).value_or(0);
    if (memory.reserved_words > memory.capacity_words.value_or(memory.reserved_words))
        attributes.find({"reserved_words"})
            ->fail(ErrorCode::bad_value,
                   "more words are reserved than the memory has: " + std::to_string(*memory.capacity_words));
    if (const yaml::Node* alignment = attributes.find({"alignment_words"}))
        memory.alignment_words = counted(*alignment);
    if (attributes.boolean({"own_banks"}).value_or(false))
        memory.alignment_words = bank_words(*attributes.find({"own_banks"}), attributes, memory);
    if (const yaml::Node* buffers = attributes.find({"buffers"}))
        for (const yaml::Node::Entry& entry : buffers->entries()) memory.buffers[entry.key] = counted(entry.value);
    if (const yaml::Node* tile = attributes.find({"tile"}))
        for (const yaml::Node::Entry& entry : tile->entries()) memory.tile[entry.key] = tile_rule(entry.value);
}

}  // namespace

std::string given_at(const yaml::Node& node) {
    const Location where = node.where();
    return "given in " + where.file + ":" + std::to_string(where.line);
}

std::string technology_of(const Attributes& attributes, const MachineFile& machine) {
    const Attributes variables(std::make_shared<Scope>(Scope{machine.variables->attributes, nullptr}),
                               machine.evaluator);
    std::optional<std::string> given = attributes.text({"technology"});
    const yaml::Node* place = attributes.find({"technology"});
    if (!given || *given == "DRAM") {
        given = variables.text({"technology", "TECHNOLOGY"});
        place = variables.find({"technology", "TECHNOLOGY"});
    }
    // "None" in Timeloop's own files: spread-only levels, placeholder defaults.
    if (!given || *given == "SET ME" || *given == "must_specify" || *given == "-1") return "";
    const bool plain = given->find_first_not_of("0123456789.") == std::string::npos;
    std::string technology = plain ? *given + "nm" : *given;
    if (!technology_nm(technology))
        place->fail(ErrorCode::bad_value,
                    "expected a technology in nanometres, such as 45nm or 45, found '" + *given + "'");
    return technology;
}

Memory memory_of(const Component& component, const MachineFile& machine, const Clock& clock) {
    const Attributes& attributes = component.attributes;
    Memory memory;
    memory.name = component.name;
    memory.component_class = component.component_class;
    memory.is_dram =
        component.component_class.find("DRAM") != std::string::npos || attributes.text({"technology"}) == "DRAM";
    memory.spreads_only = component.spreads_only;
    set_words(component, memory);
    if (memory.is_dram && memory.cluster_size != 1)
        fail(component, ErrorCode::bad_value,
             "a DRAM cannot be clustered, but cluster_size is " + std::to_string(memory.cluster_size));
    set_capacity(component, memory);
    set_bandwidths(component, clock, memory);
    memory.instances = instances_of(component);
    memory.mesh = mesh_of(component, memory.instances);
    set_energy(component, memory);
    const bool reduces = machine.form == Form::hierarchy || !memory.is_dram;
    memory.reduces = attributes.boolean({"reduction_supported"}).value_or(reduces);
    memory.power_gated_at = attributes.text({"power_gated_at"});
    if (!memory.power_gated_at) memory.power_gated_at = component.power_gate;
    set_geometry(component, machine, memory);
    set_rooms(component, memory);
    return memory;
}

Compute compute_of(const Component& component, const MachineFile& machine) {
    const Attributes& attributes = component.attributes;
    Compute compute;
    compute.name = component.name;
    compute.component_class = component.component_class;
    compute.word_bits = attributes.positive({"word_bits", "word_width", "datawidth"}).value_or(16);
    compute.instances = instances_of(component);
    compute.mesh = mesh_of(component, compute.instances);
    compute.geometry.technology = technology_of(attributes, machine);
    set_scales(component, compute.geometry);
    compute.geometry.kind = kind_of(component, machine);
    compute.geometry.multiplier_bits = attributes.positive({"multiplier_width"}).value_or(compute.word_bits);
    compute.geometry.adder_bits = attributes.positive({"adder_width"}).value_or(0);
    if (is_free(component, machine))
        compute.energy_pj = compute.area_um2 = compute.leak_pj_per_cycle = {0.0, "its class has no parts"};
    if (const auto energy = attributes.real_from({"energy"}, 0.0))
        compute.energy_pj = {*energy, given_at(*attributes.find({"energy"}))};
    if (const auto area = attributes.real_from({"area"}, 0.0))
        compute.area_um2 = {*area, given_at(*attributes.find({"area"}))};
    return compute;
}

}  // namespace tilewright::timeloop
