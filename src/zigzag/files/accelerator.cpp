#include "zigzag/files/load.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "zigzag/files/words.hpp"

namespace tilewright::zigzag {
namespace {

using yaml::Node;

// Bounds the one-by-one reduction of unrollings for small memories.
constexpr std::int64_t kMostUnits = std::int64_t{1} << 30;
constexpr std::size_t kMostMemories = 32;
constexpr std::size_t kMostArrayDimensions = 16;

double cost(const Node& node) {
    const double value = node.real();
    if (value < 0) node.fail(ErrorCode::bad_value, "a cost cannot be negative");
    return value;
}

// --- the array ---

void read_array_dimensions(const Node& node, Accelerator& accelerator) {
    const Node& names = node.at("dimensions");
    const Node& sizes = node.at("sizes");
    if (names.items().size() != sizes.items().size())
        sizes.fail(ErrorCode::bad_value, "expected a size for each of the " + std::to_string(names.items().size()) +
                                             " dimensions, found " + std::to_string(sizes.items().size()));
    if (names.items().empty() || names.items().size() > kMostArrayDimensions)
        names.fail(ErrorCode::bad_value, "expected 1 to " + std::to_string(kMostArrayDimensions) + " dimensions");
    std::int64_t units = 1;
    for (std::size_t d = 0; d < names.items().size(); ++d) {
        const Node& name = names.items()[d];
        if (find_array_dimension(accelerator, name.text()) >= 0)
            name.fail(ErrorCode::duplicate_key, "dimension '" + name.text() + "' is listed twice");
        if (sizes.items()[d].text() == "0")
            sizes.fail(ErrorCode::unsupported,
                       "the core has no compute units (its operational_array has 0), so there "
                       "is nothing to map layers to");
        accelerator.array.push_back({name.text(), sizes.items()[d].positive()});
        units = saturating_mul(units, accelerator.array.back().size);
    }
    if (units > kMostUnits)
        sizes.fail(ErrorCode::unsupported, "more than " + std::to_string(kMostUnits) + " units are not supported");
}

std::vector<std::int64_t> positives(const Node& node) {
    std::vector<std::int64_t> values;
    for (const Node& item : node.items()) values.push_back(item.positive());
    return values;
}

InMemoryArray read_in_memory(const Node& node) {
    InMemoryArray array;
    const Node& type = node.at("imc_type");
    if (type.text() != "analog" && type.text() != "digital")
        type.fail(ErrorCode::bad_value, "expected 'analog' or 'digital', found '" + type.text() + "'");
    array.analog = type.text() == "analog";
    array.input_precision_bits = positives(node.at("input_precision"));
    array.bit_serial_precision_bits = node.at("bit_serial_precision").positive();
    if (node.has("adc_resolution")) array.adc_resolution_bits = node.at("adc_resolution").integer();
    return array;
}

void read_array(const Node& node, Accelerator& accelerator) {
    node.expect_keys({"dimensions", "sizes", "unit_energy", "unit_area", "input_precision", "is_imc", "imc_type",
                      "bit_serial_precision", "adc_resolution", "cells_size", "multiplier_energy", "multiplier_area"});
    read_array_dimensions(node, accelerator);
    if (node.has("is_imc") && node.at("is_imc").boolean()) {
        accelerator.in_memory = read_in_memory(node);
    } else {
        accelerator.unit_energy_pj = cost(node.at("unit_energy"));
        if (node.has("unit_area")) accelerator.unit_area = cost(node.at("unit_area"));
    }
    if (node.has("input_precision")) accelerator.input_precision_bits = positives(node.at("input_precision"));
}

// --- memories ---

Direction read_direction(const std::string& name, const Node& node) {
    std::vector<std::string> known;
    for (int d = 0; d < kDirections; ++d) {
        const auto direction = static_cast<Direction>(d);
        if (name == short_name_of(direction)) return direction;
        known.emplace_back("'" + std::string(short_name_of(direction)) + "'");
    }
    node.fail(ErrorCode::unknown_name, "'" + name + "' is no direction; they are " + list_words(known));
}

bool holds(const SharedMemory& memory, MemoryOperand operand) {
    return std::find(memory.operands.begin(), memory.operands.end(), operand) != memory.operands.end();
}

PortUse read_use(const Node& node, const SharedMemory& memory) {
    const std::vector<std::string> words = words_of(node, 2, "an operand and a direction, such as 'I1, tl'");
    const PortUse use{memory_operand(words[0], node), read_direction(words[1], node)};
    if (!holds(memory, use.operand))
        node.fail(ErrorCode::bad_value, "memory '" + memory.name + "' does not hold operand " + words[0]);
    return use;
}

Port read_port(const Node& node, const SharedMemory& memory) {
    node.expect_keys({"name", "type", "bandwidth_min", "bandwidth_max", "allocation"});
    Port port;
    port.name = node.at("name").text();
    const Node& type = node.at("type");
    port.type = type.text();
    if (port.type != "read" && port.type != "write" && port.type != "read_write")
        type.fail(ErrorCode::bad_value, "expected 'read', 'write' or 'read_write', found '" + port.type + "'");
    port.bandwidth_max_bits = node.at("bandwidth_max").positive();
    port.bandwidth_min_bits = node.has("bandwidth_min") ? node.at("bandwidth_min").positive() : port.bandwidth_max_bits;
    if (port.bandwidth_min_bits > port.bandwidth_max_bits)
        node.at("bandwidth_min").fail(ErrorCode::bad_value, "bandwidth_min exceeds bandwidth_max");
    for (const Node& use : node.at("allocation").items()) port.uses.push_back(read_use(use, memory));
    return port;
}

void read_operands(const Node& node, SharedMemory& memory) {
    for (const Node& item : node.items()) {
        const MemoryOperand operand = memory_operand(item.text(), item);
        if (holds(memory, operand)) item.fail(ErrorCode::duplicate_key, "operand " + item.text() + " is listed twice");
        memory.operands.push_back(operand);
    }
    if (memory.operands.empty()) node.fail(ErrorCode::bad_value, "a memory holds at least one operand");
}

void read_served(const Node& node, const Accelerator& accelerator, SharedMemory& memory) {
    std::vector<std::string> names;
    for (const ArrayDimension& dimension : accelerator.array) names.push_back(dimension.name);
    for (const Node& item : node.items()) {
        const int dimension = find_array_dimension(accelerator, item.text());
        if (dimension < 0)
            item.fail(ErrorCode::unknown_name,
                      "the array has no dimension '" + item.text() + "'" + known_names(item.text(), names));
        if (std::find(memory.served.begin(), memory.served.end(), dimension) == memory.served.end())
            memory.served.push_back(dimension);
    }
}

SharedMemory read_memory(const std::string& name, const Node& node, const Accelerator& accelerator) {
    node.expect_keys({"size", "r_cost", "w_cost", "area", "latency", "operands", "ports", "served_dimensions",
                      "auto_cost_extraction", "force_double_buffering", "min_r_granularity", "min_w_granularity"});
    SharedMemory memory;
    memory.name = name;
    memory.size_bits = node.at("size").positive();
    memory.read_pj = cost(node.at("r_cost"));
    memory.write_pj = cost(node.at("w_cost"));
    if (node.has("area")) memory.area = cost(node.at("area"));
    if (node.has("latency")) memory.latency_cycles = node.at("latency").integer();
    if (node.has("auto_cost_extraction")) memory.auto_cost_extraction = node.at("auto_cost_extraction").boolean();
    if (node.has("force_double_buffering")) memory.force_double_buffering = node.at("force_double_buffering").boolean();
    read_operands(node.at("operands"), memory);
    for (const Node& port : node.at("ports").items()) memory.ports.push_back(read_port(port, memory));
    read_served(node.at("served_dimensions"), accelerator, memory);
    return memory;
}

}  // namespace

bool is_accelerator(const Node& root) {
    return root.is_map() && (root.has("operational_array") || (root.has("memories") && root.has("multipliers")));
}

Accelerator read_accelerator(const Node& root) {
    root.expect_keys({"name", "memories", "operational_array", "dataflows"});
    Accelerator accelerator;
    if (root.has("name")) accelerator.name = root.at("name").text();
    read_array(root.at("operational_array"), accelerator);
    const Node& memories = root.at("memories");
    if (memories.entries().empty()) memories.fail(ErrorCode::bad_value, "an accelerator needs at least one memory");
    if (memories.entries().size() > kMostMemories)
        memories.fail(ErrorCode::unsupported,
                      "more than " + std::to_string(kMostMemories) + " memories are not supported");
    for (const Node::Entry& entry : memories.entries())
        accelerator.memories.push_back(read_memory(entry.key, entry.value, accelerator));
    derive(accelerator);
    return accelerator;
}

}  // namespace tilewright::zigzag
