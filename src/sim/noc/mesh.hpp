// A rectangular mesh of routers, one terminal each, with xy routing.
//
// Routers are numbered row by row: node = y * columns + x. Pure functions of values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

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

// Router parameters.

/// Matching of requests and outputs, with one round of round-robin arbiters on either side.
enum class Matching : std::uint8_t {
    islip,                  ///< outputs offer, inputs accept; pointers move on acceptance (McKeown 1999)
    separable_input_first,  ///< inputs choose, then outputs among those inputs
};

/// A wormhole router with virtual channels and credits: routing, virtual-channel allocation, switch allocation,
/// crossbar and link take a cycle each.
struct RouterOptions {
    int virtual_channels = 2;           ///< of every input port; 1 to 12
    int buffer_flits = 8;               ///< of every virtual channel
    bool lookahead = false;             ///< the output is known at a head's arrival: no routing cycle
    bool speculative = false;           ///< a head requests crossbar and virtual channel at once
    bool wait_for_tail_credit = false;  ///< a virtual channel is reused only after its buffer has emptied
    bool hold_switch = false;           ///< an input keeps the crossbar while its packet flows
    int credit_cycles = 0;              ///< extra credit delay; at most 4
    Matching virtual_channel_matching = Matching::islip;
    Matching switch_matching = Matching::islip;

    bool operator==(const RouterOptions&) const = default;
};

inline constexpr int kMostVirtualChannels = 12;
inline constexpr int kMostCreditCycles = 4;

/// Reason for an impossible router, or "".
std::string problem_with(const RouterOptions& options);

// Reduction tree of values from several nodes to one.
//
// Under xy routing the routes to one destination form a tree. At a merge, or at a node with values of its own, the
// router holds arrivals until their counterparts are there, adds, and sends one packet on: every tree edge carries each
// value once. Pure functions of values.

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
