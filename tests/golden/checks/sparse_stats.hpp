// Statistics of sparse mappings, line by line as Timeloop prints them.
#pragma once

#include <vector>

#include "differences.hpp"
#include "timeloop/sparse/stats_text.hpp"

namespace tilewright::golden {

struct SparseComparison {
    int figures = 0;  ///< numbers that were printed
    int equal = 0;    ///< of them, that we print so at the same place
};

/// Lines of one level are held against each other in order. A line that only one of both has is a difference.
SparseComparison compare_sparse_stats(const std::vector<account::StatsLine>& ours,
                                      const std::vector<account::StatsLine>& printed, Differences& differences);

}  // namespace tilewright::golden
