// Layer and Hardware of the data-centric notation (MAESTRO, Fig. 8).
//
// Sizes are those of the input image, padding included, unless the output ones (Y', X') are declared instead. Values;
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "maestro/dataflow/dataflow.hpp"
#include "sparse/density.hpp"

namespace tilewright::dataflow {

enum class LayerType : std::uint8_t { conv, depthwise, grouped, gemm, transposed, fully_connected, pool, lstm };

/// "CONV", "DSCONV", "NGCONV", "GEMM", "TRCONV", "FC", "POOL", "LSTM"
std::string_view name_of(LayerType type);

/// Non-zero shares of the elements, above 0; zeros are spread evenly (MAESTRO, section 4.1).
struct Densities {
    sparse::FixedStructured input;
    sparse::FixedStructured filter;
    sparse::FixedStructured output;

    /// Share of operations with two non-zero operands.
    double of_operations() const { return input.density * filter.density; }

    bool operator==(const Densities&) const = default;
};

struct Layer {
    std::string name;
    LayerType type = LayerType::conv;
    Extents extents;                                    ///< as declared; 0: not declared
    AxisTable<std::int64_t> stride{std::int64_t{1}};    ///< of Y and X; of a transposed layer: its expansion factor
    AxisTable<std::int64_t> dilation{std::int64_t{1}};  ///< of R and S
    Densities density;
    std::optional<Dataflow> dataflow;
    Location where;            ///< no part of equality
    std::int64_t repeats = 1;  ///< runs in its network; no part of equality: absent from the notation

    bool operator==(const Layer& other) const {
        return name == other.name && type == other.type && extents == other.extents && stride == other.stride &&
               dilation == other.dilation && density == other.density && dataflow == other.dataflow;
    }
};

/// Permitted and mandatory axes of a layer type.
struct AxisRules {
    std::vector<Axis> required;  ///< for Y and X, or their output sides
    std::vector<Axis> optional;
};
AxisRules axis_rules(LayerType type);

/// Declared sizes plus derived ones: 1 for optional axes, Y from Y' or Y' from Y with stride and dilation. Requires the
/// required axes.
Extents complete_extents(const Layer& layer);

/// False if the filter exceeds the input, padding included.
bool has_output(const Layer& layer);

/// A two-level machine: L2 shared by all units, an L1 in each (MAESTRO, Fig. 3). Empty: no limit.
struct Hardware {
    std::int64_t units = 1;
    std::optional<std::int64_t> l1_bytes;
    std::optional<std::int64_t> l2_bytes;
    std::optional<std::int64_t> noc_bytes_per_cycle;
    std::optional<std::int64_t> offchip_bytes_per_cycle;
    std::int64_t noc_latency_cycles = 1;
    std::int64_t vector_width = 1;              ///< multiply-accumulates per unit and cycle
    std::int64_t operand_bytes = 1;             ///< of an input or a weight
    std::int64_t sum_bytes = 1;                 ///< of an output
    bool multicast = true;                      ///< false: a word for two units travels twice
    std::optional<std::int64_t> technology_nm;  ///< for energies in pJ (table_energy.hpp)

    bool operator==(const Hardware&) const = default;
};

}  // namespace tilewright::dataflow
