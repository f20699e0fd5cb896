// Solves a mip::Program with COIN-OR CBC: branch and cut, one model per call, hence thread-safe.
//
// Silent. Deterministic without a time limit. The answer is checked against the problem before its return.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/stop.hpp"
#include "mapper/cosa/mip/problem.hpp"

namespace tilewright::mip {

struct Limits {
    std::optional<double> seconds;      ///< wall clock
    std::optional<std::int64_t> nodes;  ///< of the search tree, in total
    /// Nodes waiting in memory before the search gives up with its best solution.
    std::int64_t open_nodes = 200'000;
    const StopSource* stop = nullptr;
    /// A solution this near to the bound (absolutely) counts as optimal.
    double gap = 1e-9;
};

enum class Status {
    optimal,
    feasible,    ///< a limit came first; `bound` limits the improvement left
    infeasible,  ///< proven
    unbounded,
    nothing,  ///< a limit came before any solution
};

enum class Ended { finished, time, nodes, memory, interrupted };

struct Solution {
    Status status = Status::nothing;
    Ended ended = Ended::finished;
    double objective = kInfinity;
    double bound = -kInfinity;   ///< lower bound of all solutions
    std::vector<double> values;  ///< by variable, integers exactly
    std::int64_t nodes = 0;
    double seconds = 0.0;

    bool found() const { return status == Status::optimal || status == Status::feasible; }
};

std::string_view status_text(Status status);
std::string_view ended_text(Ended ended);

/// `start`: feasible values, or nothing. The search looks for better ones; if there are none, the answer is `start`.
Solution solve(const Program& problem, const Limits& limits = {}, const std::vector<double>& start = {});

}  // namespace tilewright::mip
