// The cases that the public tool tells apart: of every directive the first tile, those in between, the last one; and
// all combinations of them, in the tool's order (its source: DFA_iteration-analysis.hpp). docs/maestro.md describes
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "maestro/dataflow/levels.hpp"

namespace tilewright::maestro {

enum class Position : std::uint8_t { init, steady, edge };

struct State {
    Position position = Position::init;
    bool unrolled = false;      ///< the tiles cover the dimension at once
    bool init_edge = false;     ///< the first tile is larger than the dimension
    bool partial_last = false;  ///< the last active sub-cluster has a partial tile, as far as the tool can tell
    std::int64_t count = 1;     ///< how often it occurs

    bool is_init() const { return position == Position::init; }
    bool is_edge() const { return position == Position::edge || init_edge; }
};

/// One state per map of the level. The occurrences are the product of the counts in 32 bits, as in the tool: too many
/// wrap around and may be negative.
struct Case {
    std::vector<State> states;
    std::int32_t occurrences = 1;
};

/// Sub-clusters that are active at a level's spatial edge, with the tool's formula. 0 without a spatial map.
std::int64_t edge_clusters(const dataflow::Level& level);

/// The first is the all-initial one. `extents` are those of this evaluation.
std::vector<Case> cases_of(const dataflow::Level& level, const dataflow::Extents& extents);

}  // namespace tilewright::maestro
