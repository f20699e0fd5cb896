#include "zigzag/values/accelerator.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::zigzag {
namespace {

int highest_level(const SharedMemory& memory) { return *std::max_element(memory.level.begin(), memory.level.end()); }

void derive_levels(Accelerator& accelerator) {
    for (auto& levels : accelerator.levels) levels.clear();
    for (std::size_t m = 0; m < accelerator.memories.size(); ++m) {
        SharedMemory& memory = accelerator.memories[m];
        memory.level.fill(-1);
        for (const MemoryOperand operand : memory.operands) {
            std::vector<int>& levels = accelerator.levels[static_cast<std::size_t>(operand)];
            memory.level[static_cast<std::size_t>(operand)] = static_cast<int>(levels.size());
            levels.push_back(static_cast<int>(m));
        }
    }
}

/// Operand by operand; a direction stays at its first listing, and is served by the last port listing it.
void derive_ports(SharedMemory& memory) {
    for (PerDirection<int>& ports : memory.port) ports.values.fill(-1);
    memory.served_by.assign(memory.ports.size(), {});
    for (const MemoryOperand operand : memory.operands) {
        std::vector<Direction> order;
        PerDirection<int>& ports = memory.port[static_cast<std::size_t>(operand)];
        for (std::size_t p = 0; p < memory.ports.size(); ++p) {
            for (const PortUse& use : memory.ports[p].uses) {
                if (use.operand != operand) continue;
                if (ports[use.direction] < 0) order.push_back(use.direction);
                ports[use.direction] = static_cast<int>(p);
            }
        }
        for (const Direction direction : order) memory.served_by[ports[direction]].push_back({operand, direction});
    }
}

/// The memories below memory `m` in the graph: for each of its operands, the present ones with the highest level of any
/// operand.
std::vector<int> feeders_of(const Accelerator& accelerator, int m) {
    std::vector<int> feeders;
    for (const MemoryOperand operand : accelerator.memories[m].operands) {
        int highest = -1;
        for (int below = 0; below < m; ++below)
            if (accelerator.memories[below].holds(operand))
                highest = std::max(highest, highest_level(accelerator.memories[below]));
        for (int below = 0; below < m; ++below)
            if (accelerator.memories[below].holds(operand) && highest_level(accelerator.memories[below]) == highest &&
                std::find(feeders.begin(), feeders.end(), below) == feeders.end())
                feeders.push_back(below);
    }
    return feeders;
}

/// Generations of the memory graph, in the order of becoming free.
std::vector<int> topological_order(const Accelerator& accelerator) {
    const int count = static_cast<int>(accelerator.memories.size());
    std::vector<std::vector<int>> feeders;
    for (int m = 0; m < count; ++m) feeders.push_back(feeders_of(accelerator, m));
    std::vector<int> order;
    for (int m = 0; m < count; ++m)
        if (feeders[m].empty()) order.push_back(m);
    for (std::size_t next = 0; next < order.size(); ++next) {
        for (int m = 0; m < count; ++m) {
            const auto fed = std::find(feeders[m].begin(), feeders[m].end(), order[next]);
            if (fed == feeders[m].end()) continue;
            feeders[m].erase(fed);
            if (feeders[m].empty()) order.push_back(m);
        }
    }
    return order;
}

std::string missing_port(const SharedMemory& memory, const Operand& operand, Direction direction) {
    if (memory.port_for(operand.memory, direction) != nullptr) return "";
    return "memory '" + memory.name + "' has no port for '" + std::string(name_of(operand.memory)) + ", " +
           std::string(short_name_of(direction)) + "'";
}

/// Transfers common to all mappings of the operand.
std::string missing_ports(const Accelerator& accelerator, const Operand& operand) {
    const int count = accelerator.level_count(operand.memory);
    for (int level = 0; level < count; ++level) {
        const SharedMemory& memory = accelerator.memory_at(operand.memory, level);
        const bool result = operand.is_result();
        std::string missing =
            missing_port(memory, operand, result ? Direction::write_from_below : Direction::read_down);
        if (missing.empty() && level + 1 < count)
            missing = missing_port(memory, operand, result ? Direction::read_up : Direction::write_from_above);
        if (!missing.empty()) return missing;
    }
    return "";
}

}  // namespace

std::string_view short_name_of(Direction direction) {
    switch (direction) {
        case Direction::read_down: return "tl";
        case Direction::write_from_below: return "fl";
        case Direction::read_up: return "th";
        case Direction::write_from_above: break;
    }
    return "fh";
}

std::string_view long_name_of(Direction direction) {
    switch (direction) {
        case Direction::read_down: return "rd_out_to_low";
        case Direction::write_from_below: return "wr_in_by_low";
        case Direction::read_up: return "rd_out_to_high";
        case Direction::write_from_above: break;
    }
    return "wr_in_by_high";
}

const Port* SharedMemory::port_for(MemoryOperand operand, Direction direction) const {
    const int index = port[static_cast<std::size_t>(operand)][direction];
    return index < 0 ? nullptr : &ports[index];
}

int find_array_dimension(const Accelerator& accelerator, std::string_view name) {
    for (std::size_t d = 0; d < accelerator.array.size(); ++d)
        if (accelerator.array[d].name == name) return static_cast<int>(d);
    return -1;
}

void derive(Accelerator& accelerator) {
    accelerator.units = 1;
    for (const ArrayDimension& dimension : accelerator.array)
        accelerator.units = checked_mul(accelerator.units, dimension.size);
    if (const std::optional<InMemoryArray>& array = accelerator.in_memory;
        array && !array->input_precision_bits.empty())
        accelerator.cycles_per_operation =
            std::max<std::int64_t>(1, array->input_precision_bits[0] / array->bit_serial_precision_bits);
    derive_levels(accelerator);
    for (SharedMemory& memory : accelerator.memories) derive_ports(memory);
    accelerator.allocation_order = topological_order(accelerator);
}

std::string problem_with(const Accelerator& accelerator, const Layer& layer) {
    for (const Operand& operand : layer.operands) {
        if (accelerator.level_count(operand.memory) == 0)
            return "no memory holds operand " + std::string(name_of(operand.memory)) + " (" + operand.name + ")";
        if (std::string missing = missing_ports(accelerator, operand); !missing.empty()) return missing;
    }
    return "";
}

}  // namespace tilewright::zigzag
