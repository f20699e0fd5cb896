// A fused mapping as the search decides on it: groups, their shared loops, segments, and how every tensor is kept.
// bare_tree() writes it as a FusedMapping.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "fusion/space/label.hpp"
#include "fusion/space/view.hpp"
#include "mapping/fused/fused_mapping.hpp"

namespace tilewright::fusion {

/// How a leaf gets an operand, or where it leaves its result.
enum class Way : std::uint8_t {
    by_itself,  ///< from or to the DRAM
    shared,     ///< in a store of the group
    resident,   ///< stays in the buffer for the whole group
    between,    ///< stays there while the inner loop runs
};

/// Where the shared store of a tensor stands.
enum class Keeping : std::uint8_t {
    tile,   ///< inside both shared loops
    lines,  ///< between them
    slice,  ///< inside the loop over slices of its segment
};

struct MemberPlan {
    int einsum = 0;
    std::array<Way, kMaxTensors> ways{};  ///< by operand
    std::int64_t leaf_words = 0;          ///< that the leaf's own tiles may take
    int sliced = -1;                      ///< its dimension that the slices cut; -1: none
};

struct SegmentPlan {
    int first = 0;  ///< einsums first .. last
    int last = 0;
    std::int64_t slices = 1;
};

struct KeptTensor {
    int tensor = 0;
    Keeping keeping = Keeping::tile;
};

struct GroupPlan {
    int first = 0;
    int last = 0;
    Marching marching{-1, -1};
    std::array<std::int64_t, 2> tile{1, 1};  ///< steps of the shared loops
    std::vector<SegmentPlan> segments;       ///< in the order in which they run
    std::vector<MemberPlan> members;
    std::vector<KeptTensor> kept;
    double energy_pj = 0.0;
    double cycles = 0.0;
};

struct FusionPlan {
    /// That leaves are chosen by: of their mappings the one of least value that has room; nothing: of least product.
    std::optional<Weights> weights;
    std::vector<GroupPlan> groups;
    double energy_pj = 0.0;
    double cycles = 0.0;
};

// A plan as a FusedMapping.

/// The tree of the plan, shared stores in `buffer`; leaves have no nests yet.
FusedMapping bare_tree(const CascadeView& view, int buffer, const FusionPlan& plan);

/// What the plan decides on an einsum. Throws std::logic_error for one that is in no group.
const MemberPlan& member_of(const FusionPlan& plan, int einsum);

/// Calls of the einsum that go on with the sums of the one before.
std::int64_t resumed_calls(const FusionPlan& plan, int einsum);

}  // namespace tilewright::fusion
