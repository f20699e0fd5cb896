// Statistics of rows that are read unfinished: which of a fused mapping's may be, and who corrects its sum.
//
// Statistics that are declared `online` (softmax) may be read before all of a row is in them, by a reader that sums
// over the row itself: it multiplies what it has summed when they change. In a tree that is so where a shared loop cuts
// the rows:
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
    int branch = 0;          ///< the branch that it is the last of, in the step that reads it
    int row_operand = 0;     ///< its operand that is read
    int rows = 0;            ///< that tensor
    int result_operand = 0;  ///< the first that is written
    int home = 0;            ///< of that result
    /// Einsums that read the statistics or what was made with them, in the order in which they run. The last one sums
    /// over the rows, and corrects its sum; each of the others makes one tensor that serves one step of the loop.
    std::vector<int> readers;

    int summing() const { return readers.back(); }
    bool operator==(const UnfinishedStatistics&) const = default;
};

/// Nothing where the statistics have to be finished before they are read. They may be read unfinished where
/// - they are declared online, of one tensor, and the last of a branch of a step that has later branches;
/// - the last einsum of that step has one result and sums over the dimension of a shared loop around the step;
/// - the homes of their results stand at one place, with no loop between them, outside every such loop;
/// - whoever else reads them, or what was made with them, is an einsum of the same step that works element by element,
///   whose result is an intermediate with a home inside every such loop;
/// - all these accesses have at most one moving dimension on an axis and together cover their tensors, and one of the
///   readers reads the rows themselves.
/// Requires a sound mapping (check_fused()).
std::optional<UnfinishedStatistics> read_unfinished(const Cascade& cascade, const FusedTree& tree, int leaf);

/// All of them, in the order of their leaves.
std::vector<UnfinishedStatistics> all_read_unfinished(const Cascade& cascade, const FusedTree& tree);

}  // namespace tilewright
