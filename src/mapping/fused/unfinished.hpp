// Row statistics read unfinished in a fused mapping, and the einsums that correct their sums.
//
// `online` statistics (softmax) may be read before their row is complete, by a reader that sums over the row itself: it
// multiplies its partial sum when they change. In a tree that happens under a shared loop cutting the rows:
//
//     store Buffer: top, total, O            # the statistics and the sum outlive the steps of the loop
//       for l by 64                          # a dimension that the last einsum sums over, along the rows
//         store Buffer: S, P
//           split
//             leaf scores, leaf statistics, leaf exponentials, leaf mix
#pragma once

#include <optional>
#include <vector>

#include "mapping/fused/tree.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright {

struct UnfinishedStatistics {
    int leaf = 0;            ///< node of the statistics
    int einsum = 0;          ///< of that leaf
    int branch = 0;          ///< its branch (as the last leaf there), in the step that reads it
    int row_operand = 0;     ///< its operand that is read
    int rows = 0;            ///< that tensor
    int result_operand = 0;  ///< the first one written
    int home = 0;            ///< of that result
    /// Einsums reading the statistics or tensors made with them, in order. The last sums over the rows and corrects its
    /// sum; each of the others makes one tensor for one step of the loop.
    std::vector<int> readers;

    int summing() const { return readers.back(); }
    bool operator==(const UnfinishedStatistics&) const = default;
};

/// Nothing if the statistics have to be finished before they are read. They may be read unfinished if
/// - they are declared online, of one tensor, and the last of a branch of a step that has later branches;
/// - the last einsum of that step has one result and sums over the dimension of a shared loop around the step;
/// - the homes of their results are at one place, with no loop between them, outside every such loop;
/// - all other readers of them, or of tensors made with them, are elementwise einsums of the same step, with an
///   intermediate result whose home is inside every such loop;
/// - all these accesses have at most one moving dimension on an axis and together cover their tensors, and one of the
///   readers reads the rows themselves. Requires a sound mapping (check_fused()).
std::optional<UnfinishedStatistics> read_unfinished(const Cascade& cascade, const FusedTree& tree, int leaf);

/// All of them, in the order of their leaves.
std::vector<UnfinishedStatistics> all_read_unfinished(const Cascade& cascade, const FusedTree& tree);

}  // namespace tilewright
