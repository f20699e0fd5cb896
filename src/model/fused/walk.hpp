// What happens when a fused mapping runs, step by step, in boxes: which boxes every leaf makes and how often, and what
// every shared store is sent, sends out and holds.
//
// The rules are those of docs/fusion.md. Every step of the shared loops is visited once (and once more for every store
// around it, to learn what its next tile is), but for those that do what an earlier one did (steady.hpp); leaves are
// not entered, so that the work does not depend on the size of boxes.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/stop.hpp"
#include "mapping/fused/tree.hpp"
#include "mapping/fused/validity.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright::fused {

/// A leaf on boxes of one size. `resumed`: results that an earlier box of other reductions began. `unfinished`: those
/// with partial sums of another width that a later box goes on with.
struct LeafCall {
    int leaf = 0;
    std::vector<std::int64_t> extents;
    TensorSet resumed;
    TensorSet unfinished;

    bool operator<(const LeafCall& other) const {
        return std::tuple(leaf, extents, resumed.bits(), unfinished.bits()) <
               std::tuple(other.leaf, other.extents, other.resumed.bits(), other.unfinished.bits());
    }
};

/// One tensor in one shared store. Words are of all repeats.
struct StoreCounts {
    int store = 0;                     ///< node
    int tensor = 0;                    ///< of the cascade
    int outer = -1;                    ///< entry of the store of the same tensor around it
    std::int64_t words_in = 0;         ///< sent from the store around it, to be read
    std::int64_t words_back = 0;       ///< sent from the store around it, to be added to
    std::int64_t words_out = 0;        ///< results sent to the store around it
    std::int64_t words_finished = 0;   ///< of these, sums that are done
    std::int64_t words_corrected = 0;  ///< sums that were begun with statistics that changed: read, multiplied, written
    std::int64_t tile_words = 0;       ///< the largest
    bool survives = false;             ///< some of its words serve the next step of the loops outside it
};

struct WalkCounts {
    std::vector<StoreCounts> stores;            ///< by node, then in the order of the node's tensors
    std::map<LeafCall, std::int64_t> calls;     ///< how often, of all repeats
    std::vector<std::int64_t> operations;       ///< by einsum: points of its boxes
    std::vector<std::int64_t> once_operations;  ///< by einsum: if every word that is made were made once
    std::vector<FusedViolation> violations;     ///< tensors of which only a part is made
};

/// Requires check_fused() to be empty. Throws OverflowError; Stopped where `stop` is given and requested. `every_step`:
/// without taking steps that do what an earlier one did as known (steady.hpp); the counts are the same. `partial`: by
/// tensor of the cascade, which of them have partial sums of another width.
WalkCounts walk_boxes(const Cascade& cascade, const FusedTree& tree, const StopSource* stop = nullptr,
                      bool every_step = false, const PartialBits& partial = {});

}  // namespace tilewright::fused
