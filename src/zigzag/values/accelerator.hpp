// An accelerator in ZigZag's form: an array of multiply-accumulate units below a graph of memories with ports.
//
// Every operand climbs its own chain of memories, from level 0 next to the units to its top; operands may share
// memories. One memory instance serves all units along its served array dimensions and is replicated along the others.
// ZigZag 3.8.5: zigzag/hardware/architecture/. Plain values; pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zigzag/values/layer.hpp"

namespace tilewright::zigzag {

/// A port's direction for an operand. "Down" is towards the units.
enum class Direction { read_down, write_from_below, read_up, write_from_above };
inline constexpr int kDirections = 4;

/// ZigZag's short and long names: "tl" and "rd_out_to_low", ...
std::string_view short_name_of(Direction direction);
std::string_view long_name_of(Direction direction);

template <class Value>
struct PerDirection {
    std::array<Value, kDirections> values{};
    Value& operator[](Direction direction) { return values[static_cast<std::size_t>(direction)]; }
    const Value& operator[](Direction direction) const { return values[static_cast<std::size_t>(direction)]; }
    bool operator==(const PerDirection&) const = default;
};

struct PortUse {
    MemoryOperand operand = MemoryOperand::o;
    Direction direction = Direction::read_down;

    bool operator==(const PortUse&) const = default;
};

struct Port {
    std::string name;
    std::string type;                     ///< "read", "write" or "read_write", as written
    std::int64_t bandwidth_min_bits = 1;  ///< per cycle; access granularity
    std::int64_t bandwidth_max_bits = 1;  ///< per cycle; word width
    std::vector<PortUse> uses = {};
    bool takes_no_time = false;  ///< of machines without bandwidths; never in ZigZag

    bool operator==(const Port&) const = default;
};

struct SharedMemory {
    std::string name;
    std::int64_t size_bits = 0;  ///< of one instance
    double read_pj = 0.0;        ///< per word of bandwidth_max_bits
    double write_pj = 0.0;
    double area = 0.0;
    std::int64_t latency_cycles = 0;
    std::vector<MemoryOperand> operands;  ///< in file order
    std::vector<Port> ports;
    std::vector<int> served;  ///< dimensions of the array
    bool auto_cost_extraction = false;
    bool force_double_buffering = false;

    // --- filled in by derive() ---
    std::array<int, kMemoryOperands> level{-1, -1, -1};   ///< of each operand; -1: not held
    std::array<PerDirection<int>, kMemoryOperands> port;  ///< index into `ports`, -1: none
    std::vector<std::vector<PortUse>> served_by;          ///< by port: its actual uses, in ZigZag's order

    bool holds(MemoryOperand operand) const { return level[static_cast<std::size_t>(operand)] >= 0; }
    int level_of(MemoryOperand operand) const { return level[static_cast<std::size_t>(operand)]; }
    /// The port for it, or null.
    const Port* port_for(MemoryOperand operand, Direction direction) const;
    bool operator==(const SharedMemory&) const = default;
};

/// An array dimension: name and units.
struct ArrayDimension {
    std::string name;
    std::int64_t size = 1;

    bool operator==(const ArrayDimension&) const = default;
};

/// Additional data of an array computing in its memory cells (zigzag/accounting/array.hpp has its costs).
struct InMemoryArray {
    bool analog = false;
    std::vector<std::int64_t> input_precision_bits;  ///< of inputs (I1) and weights (I2)
    std::int64_t bit_serial_precision_bits = 1;
    std::optional<std::int64_t> adc_resolution_bits;

    bool operator==(const InMemoryArray&) const = default;
};

struct Accelerator {
    std::string name;
    std::vector<ArrayDimension> array;
    double unit_energy_pj = 0.0;  ///< of one multiply-accumulate
    double unit_area = 0.0;
    std::vector<std::int64_t> input_precision_bits;  ///< as written; without effect
    std::optional<InMemoryArray> in_memory;
    std::vector<SharedMemory> memories;  ///< bottom-up, as written

    // --- filled in by derive() ---
    std::array<std::vector<int>, kMemoryOperands> levels;  ///< memories of each operand, from level 0
    std::vector<int> allocation_order;                     ///< of `memories`: generation by generation of the graph
    std::int64_t units = 1;
    std::int64_t cycles_per_operation = 1;  ///< slices of an input of an in-memory array

    const std::vector<int>& levels_of(MemoryOperand operand) const { return levels[static_cast<std::size_t>(operand)]; }
    int level_count(MemoryOperand operand) const { return static_cast<int>(levels_of(operand).size()); }
    const SharedMemory& memory_at(MemoryOperand operand, int level) const {
        return memories[levels_of(operand)[level]];
    }
    bool operator==(const Accelerator&) const = default;
};

/// Index of the named array dimension, or -1.
int find_array_dimension(const Accelerator& accelerator, std::string_view name);

/// Fills in levels, ports and the allocation order.
void derive(Accelerator& accelerator);

/// Reason why this layer cannot run on this accelerator, or "": an operand without a memory, a transfer without a port.
std::string problem_with(const Accelerator& accelerator, const Layer& layer);

}  // namespace tilewright::zigzag
