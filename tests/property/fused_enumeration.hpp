// All fused mappings of a tiny cascade, one after the other: what the search over them is held to.
//
// Written from the words of docs/fusion.md alone. Trees are counted by the exact model of fused mappings (its walk,
// lifetimes and stores); a leaf's mappings are those of leaf_front(); leaf_test.cpp holds the cost of each to the exact
// model.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "arch/architecture.hpp"
#include "fusion/leaf/leaf.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::property {

struct FusedCost {
    double energy_pj = 0.0;
    double cycles = 0.0;
};

struct Enumeration {
    std::vector<FusedCost> front;    ///< no mapping has less of both
    std::vector<FusedCost> unfused;  ///< the same where every einsum runs by itself
    std::uint64_t mappings = 0;
    bool complete = true;  ///< false: there are more than were asked for
};

/// Dimensions named p and q run along images; groups of other cascades may cut m and h, in either order.
/// `longest_group`: einsums of a group. `most`: trees that are looked at.
/// `list_leaf`: all that a leaf may cost, on machines that leaf_front() does not know; their buffer is memory 1.
using ListLeaf = std::function<std::vector<fusion::LeafPoint>(int einsum, const fusion::LeafQuestion& question)>;
Enumeration enumerate_fused(const Cascade& cascade, const Architecture& architecture, int longest_group,
                            std::uint64_t most, const ListLeaf& list_leaf = {});

}  // namespace tilewright::property
