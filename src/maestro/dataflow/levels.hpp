// Levels: a dataflow completed for one layer, the directives of every cluster level with numbers in them.
//
// A dataflow may leave out what is obvious. A level that says nothing of a dimension inherits the tile of the level
// above, which then does not move; the top level holds all of it. Maps over output rows and columns become maps over
// the input that they need, and maps over the input of a strided layer move by whole outputs: TemporalMap(3,1) Y of a
// layer with a 3-row filter and stride 2 becomes (3,2). Values; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "maestro/dataflow/dataflow.hpp"
#include "maestro/dataflow/layer.hpp"

namespace tilewright::dataflow {

/// A map of a completed level: never over Y' or X'.
struct Map {
    Axis axis = Axis::K;
    bool spatial = false;
    std::int64_t size = 1;
    std::int64_t offset = 1;
    Location where;          ///< of the directive; no file: the map was added
    bool inherited = false;  ///< it repeats the tile of the level above, or holds the whole dimension

    bool operator==(const Map& other) const {
        return axis == other.axis && spatial == other.spatial && size == other.size && offset == other.offset;
    }
};

/// "SpatialMap(3,1) Y"
std::string to_text(const Map& map);

struct Level {
    std::vector<Map> maps;                     ///< outermost first, one per axis
    std::int64_t clusters = 1;                 ///< sub-clusters that its spatial maps move over
    ClusterKind kind = ClusterKind::physical;  ///< of what the clusters are members of: kind of the Cluster above
    Extents extents;                           ///< of the largest tile that it is given

    bool operator==(const Level& other) const { return maps == other.maps && clusters == other.clusters; }
};

/// How strided layers are read. Both agree where the filter is not smaller than the stride and tiles are given as
/// input.
enum class Reading : std::uint8_t {
    exact,        ///< a map over 8 output rows holds what 8 output rows need
    public_tool,  ///< as the public tool: half of them at stride 2, and without the rows between filters
};

struct LevelsRequest {
    Extents extents;            ///< of the layer; 0: no such dimension
    std::vector<Axis> coupled;  ///< the dimensions of its operands, in the order in which missing ones are added
    AxisTable<std::int64_t> stride{std::int64_t{1}};
    AxisTable<std::int64_t> dilation{std::int64_t{1}};
    std::int64_t units = 1;
    Reading reading = Reading::exact;
};

/// The levels, the top one first, or what is wrong in words.
struct LevelsResult {
    std::vector<Level> levels;
    Location where;
    std::string problem;  ///< "" when there are levels

    bool ok() const { return problem.empty(); }
};

/// Problems: a size without value, a dimension that the layer or level does not have, two maps of one dimension in a
/// level, more units in a cluster than there are. Throws nothing.
LevelsResult levels_of(const Dataflow& dataflow, const Parameters& parameters, const LevelsRequest& request);

/// Dimensions of the operands of this type of layer by name (the public tool's order).
std::vector<Axis> operand_axes(LayerType type);

}  // namespace tilewright::dataflow
