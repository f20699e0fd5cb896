#include "sim/noc/mesh.hpp"

#include <algorithm>
#include <cstdlib>

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

}  // namespace tilewright::sim
