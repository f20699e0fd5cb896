#include "sim/noc/mesh.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace tilewright::sim {
namespace {

bool between(int value, int a, int b) { return std::min(a, b) <= value && value <= std::max(a, b); }

bool passes(const Mesh& mesh, int here, int source, int destination) {
    const bool in_row = mesh.y(here) == mesh.y(source) && between(mesh.x(here), mesh.x(source), mesh.x(destination));
    const bool in_column =
        mesh.x(here) == mesh.x(destination) && between(mesh.y(here), mesh.y(source), mesh.y(destination));
    return in_row || in_column;
}

}  // namespace

int Mesh::neighbour(int node, int port) const {
    const int x_here = x(node);
    const int y_here = y(node);
    switch (static_cast<Port>(port)) {
        case Port::east: return x_here + 1 < columns ? node + 1 : -1;
        case Port::west: return x_here > 0 ? node - 1 : -1;
        case Port::south: return y_here + 1 < rows ? node + columns : -1;
        case Port::north: return y_here > 0 ? node - columns : -1;
        case Port::local: break;
    }
    return -1;
}

int Mesh::routers_between(int from, int to) const { return std::abs(x(from) - x(to)) + std::abs(y(from) - y(to)) + 1; }

Port port_towards(const Mesh& mesh, int here, int destination) {
    if (mesh.x(here) != mesh.x(destination)) return mesh.x(here) < mesh.x(destination) ? Port::east : Port::west;
    if (mesh.y(here) != mesh.y(destination)) return mesh.y(here) < mesh.y(destination) ? Port::south : Port::north;
    return Port::local;
}

PortSet ports_of_tree(const Mesh& mesh, int here, int source, std::span<const int> destinations) {
    if (destinations.size() == 1) return only(port_towards(mesh, here, destinations.front()));
    PortSet ports = 0;
    for (const int destination : destinations) {
        if (passes(mesh, here, source, destination)) ports |= only(port_towards(mesh, here, destination));
    }
    return ports;
}

std::string problem_with(const RouterOptions& options) {
    if (options.virtual_channels < 1 || options.virtual_channels > kMostVirtualChannels) {
        return "a router has 1 to 12 virtual channels, not " + std::to_string(options.virtual_channels);
    }
    if (options.buffer_flits < 1 || options.buffer_flits > 65535) {
        return "a buffer holds 1 to 65535 flits, not " + std::to_string(options.buffer_flits);
    }
    if (options.credit_cycles < 0 || options.credit_cycles > kMostCreditCycles) {
        return "a credit is delayed by 0 to 4 cycles, not " + std::to_string(options.credit_cycles);
    }
    return "";
}

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
