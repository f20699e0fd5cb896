// Reduction tree of values from several nodes to one.
//
// Under xy routing the routes to one destination form a tree. At a merge, or at a node with values of its own, the
// router holds arrivals until their counterparts are there, adds, and sends one packet on: every tree edge carries each
// value once. Pure functions of values.
#pragma once

#include <span>
#include <vector>

#include "sim/noc/mesh.hpp"

namespace tilewright::sim {

struct ReductionTree {
    /// A source or merge node.
    struct Vertex {
        int node = 0;
        int parent = -1;      ///< its next vertex, earlier in the list; -1: the destination
        int children = 0;     ///< vertices sending to it
        bool source = false;  ///< it has values of its own
    };
    std::vector<Vertex> vertices;
};

/// Requires distinct sources other than the destination.
ReductionTree reduction_tree(const Mesh& mesh, std::span<const int> sources, int destination);

}  // namespace tilewright::sim
