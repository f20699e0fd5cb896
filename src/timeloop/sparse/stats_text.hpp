// The statistics of a sparse mapping as Timeloop prints them, line by line, to hold against what it printed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sparse/design.hpp"
#include "timeloop/sparse/sparse_account.hpp"

namespace tilewright::account {

struct StatsLine {
    std::string level;  ///< "" for what stands below all levels
    std::string text;   ///< without what follows it

    bool operator==(const StatsLine&) const = default;
};

/// The lines of every level's STATS and of all that follows the networks. Requires a result without refusal. Networks
/// that cost energy are not among them.
std::vector<StatsLine> sparse_stats(const SparseResult& result, const Einsum& einsum, const Architecture& architecture);

/// The same lines of what Timeloop printed.
std::vector<StatsLine> stats_lines(std::string_view printed);

}  // namespace tilewright::account
