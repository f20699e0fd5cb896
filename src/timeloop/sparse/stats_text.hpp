// Statistics of a sparse mapping as printed by Timeloop, line by line, for comparison.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sparse/design.hpp"
#include "timeloop/sparse/sparse_account.hpp"

namespace tilewright::account {

struct StatsLine {
    std::string level;  ///< "" below all levels
    std::string text;   ///< without its value

    bool operator==(const StatsLine&) const = default;
};

/// The lines of every level's STATS and of everything after the networks. Requires a result without refusal. Networks
/// with an energy are not included.
std::vector<StatsLine> sparse_stats(const SparseResult& result, const Einsum& einsum, const Architecture& architecture);

/// The same lines from Timeloop's print.
std::vector<StatsLine> stats_lines(std::string_view printed);

}  // namespace tilewright::account
