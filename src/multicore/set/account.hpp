// SET's account between cores: hops, DRAM words, the busiest link, buffers, cycles of cuts, as its program prints them.
//
// What happens inside a core is not computed: cycles of leaves are the recorded ones. The published account has two
// faults, each with a switch that mends it (docs/packages-of-cores.md).
#pragma once

#include <vector>

#include "multicore/set/values.hpp"

namespace tilewright::multicore::set {

struct Switches {
    /// Weights come whenever their segment runs; as published they come once, however often a root that cuts the batch
    /// runs the segment again.
    bool weights_every_time = true;
    /// An input that begins before a concatenated part gets the rest of it; as published it gets none of it.
    bool whole_concatenations = true;
};
inline constexpr Switches kPublished{false, false};

/// Of a node's subtree.
std::int64_t cores_of(const Tree& tree, int node);

/// By node. Requires a tree of these layers, each at most once.
std::vector<Figures> count(const std::vector<Layer>& layers, const Machine& machine, const Tree& tree,
                           const Switches& switches);

}  // namespace tilewright::multicore::set
