// The tree along which values of several nodes are added up on their way to one.
//
// Packets go x first, then y, so that their ways to one destination form a tree. Where ways meet, or where a way leads
// through a node that adds values of its own, the router holds what came until its counterpart is there, adds, and
// sends one packet on: every link of the tree carries each value once. Pure functions of values.
#pragma once

#include <span>
#include <vector>

#include "sim/noc/mesh.hpp"

namespace tilewright::sim {

struct ReductionTree {
    /// A node where values begin or meet.
    struct Vertex {
        int node = 0;
        int parent = -1;      ///< the vertex that it sends to, which stands before it; -1: the destination
        int children = 0;     ///< vertices that send to it
        bool source = false;  ///< it has values of its own
    };
    std::vector<Vertex> vertices;
};

/// Requires distinct sources other than the destination.
ReductionTree reduction_tree(const Mesh& mesh, std::span<const int> sources, int destination);

}  // namespace tilewright::sim
