// The space of plans: steps, teams, splits, sums and streams of the stages of a run.
//
// Steps: whole, or along any axis of the last result by a divisor. Teams: disjoint intervals of the order of the cores
// in the order of the stages (a pipeline; cores may stay free), or all stages on the first cores (turns). Splits: at
// most two dimensions, whose parts are as many as the team has cores. Sums: root, scatter and, of more than two
// members, ring along every axis. Streamed: any operands from DRAM.
#pragma once

#include <cstdint>
#include <vector>

#include "multicore/made.hpp"
#include "multicore/problem.hpp"
#include "package/plan.hpp"

namespace tilewright::multicore {

std::vector<Step> steps_of(const Problem& problem, int last);

/// A split with where its sums come together.
struct Shape {
    std::vector<package::Split> split;
    package::Sums sums;
    std::int64_t members = 1;  ///< cores that hold partial sums of the same box
};
/// Of teams of so many cores.
std::vector<Shape> shapes_of(const Problem& problem, int einsum, std::int64_t cores);

/// Sets of operands that may be streamed (bit: operand) where the run begins with `first`; the empty one first.
std::vector<std::uint32_t> streams_of(const Problem& problem, int einsum, int first);

/// Cores from .. from + size - 1.
struct Team {
    int from = 0;
    int size = 1;

    auto operator<=>(const Team&) const = default;
};
std::vector<int> cores_of(const Team& team);
/// Whether all of its cores run the einsum.
bool may_run(const Problem& problem, int einsum, const Team& team);

}  // namespace tilewright::multicore
