// A rectangular mesh of routers, one terminal each, with xy routing.
//
// Routers are numbered row by row: node = y * columns + x. Pure functions of values.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tilewright::sim {

/// A router's five ports. East is towards larger x, south towards larger y; local is the terminal.
enum class Port : std::uint8_t { east, west, south, north, local };
inline constexpr int kPorts = 5;

/// A set of ports: bit 1 << port.
using PortSet = std::uint8_t;

constexpr int index_of(Port port) { return static_cast<int>(port); }
constexpr PortSet only(Port port) { return static_cast<PortSet>(1U << index_of(port)); }

/// The neighbour's port at the other end of a link from `port`; local stays local.
constexpr int opposite(int port) { return port == index_of(Port::local) ? port : port ^ 1; }

struct Mesh {
    int columns = 4;
    int rows = 4;

    int nodes() const { return columns * rows; }
    int x(int node) const { return node % columns; }
    int y(int node) const { return node / columns; }
    int node(int x, int y) const { return y * columns + x; }

    /// The router behind a port, or -1 at the edge and behind the local port.
    int neighbour(int node, int port) const;

    /// Routers on the route, both ends included.
    int routers_between(int from, int to) const;

    bool operator==(const Mesh&) const = default;
};

/// Output port of a packet at `here` for `destination`.
Port port_towards(const Mesh& mesh, int here, int destination);

/// Output ports at `here` of a packet from `source`, each towards the destinations routed through `here`. All copies
/// together form a tree reaching every destination once.
PortSet ports_of_tree(const Mesh& mesh, int here, int source, std::span<const int> destinations);

}  // namespace tilewright::sim
