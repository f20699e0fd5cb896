#include "sim/noc/reduction.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tilewright::sim {

ReductionTree reduction_tree(const Mesh& mesh, std::span<const int> sources, int destination) {
    struct Crossing {
        int inputs = 0;  ///< neighbours with incoming edges
        bool source = false;
    };
    const auto next = [&](int node) { return mesh.neighbour(node, index_of(port_towards(mesh, node, destination))); };
    std::map<int, Crossing> crossings;  // nodes on the ways
    for (const int source : sources) {
        bool known = crossings.contains(source);
        crossings[source].source = true;
        for (int node = source; !known && node != destination;) {
            node = next(node);
            known = crossings.contains(node);
            if (node != destination) ++crossings[node].inputs;
        }
    }
    std::vector<std::pair<int, int>> order;  // vertices by their distance
    for (const auto& [node, crossing] : crossings)
        if (crossing.source || crossing.inputs > 1) order.emplace_back(mesh.routers_between(node, destination), node);
    std::sort(order.begin(), order.end());
    ReductionTree tree;
    std::map<int, int> vertex_of;
    for (const auto& [distance, node] : order) {
        int towards = next(node);
        while (towards != destination && !vertex_of.contains(towards)) towards = next(towards);
        const int parent = towards == destination ? -1 : vertex_of.at(towards);
        if (parent >= 0) ++tree.vertices[parent].children;
        vertex_of[node] = static_cast<int>(tree.vertices.size());
        tree.vertices.push_back({node, parent, 0, crossings.at(node).source});
    }
    return tree;
}

}  // namespace tilewright::sim
