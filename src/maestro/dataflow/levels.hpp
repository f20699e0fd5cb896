// Levels: a dataflow completed for one layer, each cluster level's directives with numbers.
//
// Omitted directives are inferred. A level without a map of a dimension inherits the stationary tile of the level
// above; the top level holds all of it. Maps over output rows and columns become maps over their input, and input maps
// of a strided layer move by whole outputs: TemporalMap(3,1) Y of a layer with a 3-row filter and stride 2 becomes
// (3,2). Values; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "maestro/dataflow/dataflow.hpp"

namespace tilewright::dataflow {

/// A map of a completed level: never over Y' or X'.
struct Map {
    Axis axis = Axis::K;
    bool spatial = false;
    std::int64_t size = 1;
    std::int64_t offset = 1;
    Location where;          ///< of the directive; no file: the map was added
    bool inherited = false;  ///< repeats the tile of the level above, or holds the whole dimension

    bool operator==(const Map& other) const {
        return axis == other.axis && spatial == other.spatial && size == other.size && offset == other.offset;
    }
};

/// "SpatialMap(3,1) Y"
std::string to_text(const Map& map);

struct Level {
    std::vector<Map> maps;                     ///< outermost first, one per axis
    std::int64_t clusters = 1;                 ///< sub-clusters of its spatial maps
    ClusterKind kind = ClusterKind::physical;  ///< of the enclosing Cluster
    Extents extents;                           ///< of its largest tile

    bool operator==(const Level& other) const { return maps == other.maps && clusters == other.clusters; }
};

/// Readings of strided layers. They agree for filters no smaller than the stride and tiles given as input.
enum class Reading : std::uint8_t {
    exact,        ///< a map over 8 output rows holds the input of 8 output rows
    public_tool,  ///< as the public tool: half of them at stride 2, and without the rows between filters
};

struct LevelsRequest {
    Extents extents;            ///< of the layer; 0: no such dimension
    std::vector<Axis> coupled;  ///< its operands' dimensions, in the order of adding missing ones
    AxisTable<std::int64_t> stride{std::int64_t{1}};
    AxisTable<std::int64_t> dilation{std::int64_t{1}};
    std::int64_t units = 1;
    Reading reading = Reading::exact;
};

/// The levels, top first, or the error in words.
struct LevelsResult {
    std::vector<Level> levels;
    Location where;
    std::string problem;  ///< "" when there are levels

    bool ok() const { return problem.empty(); }
};

/// Errors: a size without value, a dimension absent from the layer or level, two maps of one dimension in a level,
/// clusters larger than the units. Throws nothing.
LevelsResult levels_of(const Dataflow& dataflow, const Parameters& parameters, const LevelsRequest& request);

/// Operand dimensions of a layer type by name (the public tool's order).
std::vector<Axis> operand_axes(LayerType type);

}  // namespace tilewright::dataflow
