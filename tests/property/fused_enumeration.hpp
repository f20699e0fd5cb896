// All fused mappings of a tiny cascade, one after the other: what the search over them is held to.
//
// Written from the words of docs/fusion.md alone. Trees are counted by the exact model of fused mappings (its walk,
// lifetimes and stores); a leaf's mappings are listed by the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "arch/architecture.hpp"
#include "fusion/leaf/leaf.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright::property {

struct FusedCost {
    double energy_pj = 0.0;
    double cycles = 0.0;

    bool operator==(const FusedCost&) const = default;
};

struct Enumeration {
    std::vector<FusedCost> front;    ///< no mapping has less of both
    std::vector<FusedCost> unfused;  ///< the same where every einsum runs by itself
    std::uint64_t trees = 0;         ///< places of all tensors, in all loops and segments of all groups
    std::uint64_t walks = 0;         ///< trees that the exact model walked
    std::uint64_t mappings = 0;      ///< trees of the space, of groups
    std::uint64_t too_large = 0;     ///< of these, for the buffer
    bool complete = true;            ///< false: there are more trees than were asked for; nothing was counted
};

struct EnumerationLimits {
    int longest_group = 1 << 20;  ///< einsums of a group
    std::uint64_t trees = 1000;
    /// Otherwise only of some: where weights, what comes from outside and the last result stand changes nothing for the
    /// other tensors.
    bool walk_every_tree = false;
};

/// Dimensions named p and q run along images; groups of other cascades may cut m and h, in either order.
/// `list_leaf`: all that a leaf may cost; the buffer is memory 1. `partial`: bits of partial sums by tensor, of results
/// that are the only ones of their einsums. A store of what a leaf makes is that wide unless its nest is one of those
/// that send finished sums there.
using ListLeaf =
    std::function<std::vector<fusion::LeafPoint>(int einsum, const fusion::LeafQuestion& question, bool finished)>;
Enumeration enumerate_fused(const Cascade& cascade, const Architecture& architecture, const EnumerationLimits& limits,
                            const ListLeaf& list_leaf, const PartialBits& partial = {});

}  // namespace tilewright::property
