// The judge of fused mappings: walks every step with sets of elements. Slow and simple on purpose; shares no arithmetic
// of boxes with model/fused.
//
// What an operand touches is found by going through the points of the iteration space one by one; what a step makes, by
// taking the elements that a store holds from those that are needed. Leaves are walked by oracle.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "oracle/oracle.hpp"
#include "workload/words.hpp"

namespace tilewright::oracle {

struct FusedCounts {
    std::vector<std::vector<Traffic>> memories;  ///< [memory][tensor of the cascade]: reads, fills, updates
    std::vector<std::int64_t> operations;        ///< by einsum
    std::vector<std::int64_t> calls;             ///< by einsum: boxes
    std::vector<std::int64_t> compute_cycles;    ///< by einsum, all its boxes
    std::int64_t recomputed_operations = 0;      ///< points of the iteration spaces that were met before
    std::vector<std::int64_t> corrected_words;   ///< by einsum: of its sum, begun with statistics that changed since
    std::vector<std::int64_t> peak_words;        ///< by memory; of its own words, from bits
    std::vector<std::vector<double>> partial_words;  ///< [memory][tensor]: of those that move, sums that are not done
    std::vector<std::vector<double>> energy_pj;      ///< [memory][tensor], of accesses in rows of the memory
    bool complete = true;  ///< every element was made before it was read, and all that is wanted outside
};

/// Requires check_fused() to be empty and blocks that run once. `partial`: bits of a sum that is not done, by tensor;
/// 0: as many as of one that is. Statistics that are read unfinished have none.
FusedCounts walk_fused(const Cascade& cascade, const Architecture& architecture, const FusedMapping& mapping,
                       const PartialBits& partial = {});

}  // namespace tilewright::oracle
