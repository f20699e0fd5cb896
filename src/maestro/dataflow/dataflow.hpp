// Dataflow: an ordered list of directives, outermost first, mapping parts of dimensions to space and time (MAESTRO,
// section 3.1).
//
//     TemporalMap(size, offset) axis   every sub-cluster holds the same `size` elements; the next iteration `offset` on
//     SpatialMap(size, offset) axis    the next sub-cluster holds the elements `offset` on; folded over time when there
//                                      are too few sub-clusters
//     Cluster(size, P|L)               the directives below move over groups of `size` units; P: a group is a physical
//                                      unit; L: its members are lanes or logical units
//
// Example: an output-stationary dataflow, one output column per unit:
//     TemporalMap(1,1) K; TemporalMap(1,1) C; TemporalMap(Sz(R),1) Y; SpatialMap(Sz(S),1) X
// Layer and Hardware of the data-centric notation (MAESTRO, Fig. 8).
//
// Sizes are those of the input image, padding included, unless the output ones (Y', X') are declared instead. Values;
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "maestro/dataflow/size.hpp"
#include "sparse/density.hpp"

namespace tilewright::dataflow {

enum class DirectiveKind : std::uint8_t { temporal, spatial, cluster };
enum class ClusterKind : std::uint8_t { logical, physical };

struct Directive {
    DirectiveKind kind = DirectiveKind::temporal;
    Size size;
    Size offset;                                 ///< of maps
    Axis axis = Axis::K;                         ///< of maps
    ClusterKind cluster = ClusterKind::logical;  ///< of clusters
    Location where;                              ///< in its file; no part of equality

    bool operator==(const Directive& other) const {
        return kind == other.kind && size == other.size && offset == other.offset && axis == other.axis &&
               cluster == other.cluster;
    }
};

struct Dataflow {
    std::string name;
    std::vector<Directive> directives;

    bool operator==(const Dataflow&) const = default;
};

/// The free parameters of all directives, in order of appearance.
std::vector<std::string> parameters_of(const Dataflow& dataflow);

/// "SpatialMap(Sz(R),1) Y", "Cluster(3,P)"
std::string to_text(const Directive& directive);

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
