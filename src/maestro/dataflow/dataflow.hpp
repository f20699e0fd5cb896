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
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "maestro/dataflow/size.hpp"

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

}  // namespace tilewright::dataflow
