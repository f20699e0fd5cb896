// Moved elements per case in the public tool's counting (its source: CA_reuse-analysis.hpp).
//
// docs/maestro.md lists the incorrect ones; they are kept.
// The public tool's cases: per directive the first tile, the middle ones, the last; all combinations, in the tool's
// order (its source: DFA_iteration-analysis.hpp). Described in docs/maestro.md.
#pragma once

#include <cstdint>
#include <vector>

#include "maestro/dataflow/levels.hpp"

namespace tilewright::maestro {

enum class Position : std::uint8_t { init, steady, edge };

struct State {
    Position position = Position::init;
    bool unrolled = false;      ///< one tile covers the dimension
    bool init_edge = false;     ///< the first tile exceeds the dimension
    bool partial_last = false;  ///< the last active sub-cluster has a partial tile, by the tool's reckoning
    std::int64_t count = 1;     ///< how often it occurs

    bool is_init() const { return position == Position::init; }
    bool is_edge() const { return position == Position::edge || init_edge; }
};

/// One state per map of the level. Occurrences are the 32-bit product of the counts, as in the tool: overflow wraps,
/// possibly to a negative.
struct Case {
    std::vector<State> states;
    std::int32_t occurrences = 1;
};

/// Active sub-clusters at a level's spatial edge, by the tool's formula. 0 without a spatial map.
std::int64_t edge_clusters(const dataflow::Level& level);

/// All-initial case first. `extents`: this evaluation's.
std::vector<Case> cases_of(const dataflow::Level& level, const dataflow::Extents& extents);

/// The three tensors' dimensions, as coupled by the tool.
struct Coupling {
    std::vector<dataflow::Axis> input;
    std::vector<dataflow::Axis> filter;
    std::vector<dataflow::Axis> output;  ///< in input dimensions: Y and X
};

/// Elements of one dimension in a tile: total, new ones, and both for the last tile.
struct Elements {
    std::int64_t mapped = 0;
    std::int64_t unique = 0;
    std::int64_t mapped_edge = 0;
    std::int64_t unique_edge = 0;
};

/// The counts of one level. Thread-safe after construction.
class Reuse {
   public:
    /// `level.extents` are the nominal ones: the tool uses them for edge tiles too.
    Reuse(const dataflow::Level& level, const Coupling& coupling);

    const Coupling& coupling() const { return *coupling_; }
    std::int64_t edge_clusters() const { return edge_; }

    /// Elements of an operand sent by the level's buffer in this case.
    std::int64_t ingress(const std::vector<dataflow::Axis>& tensor, const Case& one) const;
    /// Results returned.
    std::int64_t egress(const Case& one) const;
    /// Multiply-accumulates of the busiest sub-cluster, and of all.
    std::int64_t critical_operations(const Case& one) const;
    std::int64_t operations(const Case& one) const;

    /// Required L1: twice the tensor's tile.
    std::int64_t l1_size(const std::vector<dataflow::Axis>& tensor) const;

    /// A sub-cluster's tile in this case; `partial`: the last active one of a spatial edge.
    dataflow::Extents tile(const Case& one, bool partial) const;
    /// State of the level's first spatial map.
    const State& spatial_state(const Case& one) const;
    std::int64_t clusters() const { return level_->clusters; }

   private:
    /// Selects a sub-cluster.
    struct Who {
        bool first = false;    ///< pays for the whole tile
        bool partial = false;  ///< has the partial tile at a spatial edge
    };
    static constexpr Who kFirst{true, false};
    static constexpr Who kOther{false, false};
    static constexpr Who kPartial{false, true};

    bool coupled(const std::vector<dataflow::Axis>& tensor, std::size_t map) const;
    std::int64_t ingress_of(const std::vector<dataflow::Axis>& tensor, const Case& one, Who who) const;
    std::int64_t first_tile(const Elements& elements, bool spatial, const State& state, Who who) const;
    std::int64_t egress_of(const Case& one, bool sums, Who who, bool reuse_at_edge) const;
    std::int64_t reduced(const Elements& elements, bool spatial, const State& state, Who who) const;
    std::int64_t produced(std::size_t map, const State& state, Who who, bool reuse_at_edge) const;

    const dataflow::Level* level_;
    const Coupling* coupling_;
    std::vector<Elements> elements_;  ///< by map
    std::vector<Elements> outputs_;   ///< by map: of Y and X those of the output, else the same
    std::int64_t edge_ = 0;
};

}  // namespace tilewright::maestro
