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

}  // namespace tilewright::maestro
