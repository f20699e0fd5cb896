// What a router of the mesh is built of.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright::sim {

/// How requests are matched with outputs, with one round of round-robin arbiters on either side.
enum class Matching : std::uint8_t {
    islip,                  ///< outputs offer, inputs accept; pointers move on acceptance (McKeown 1999)
    separable_input_first,  ///< inputs choose, then outputs choose among those inputs
};

/// A wormhole router with virtual channels and credits: routing, virtual-channel allocation, switch allocation and the
/// crossbar take a cycle each, and so does a link.
struct RouterOptions {
    int virtual_channels = 2;           ///< of every input port; 1 to 12
    int buffer_flits = 8;               ///< of every virtual channel
    bool lookahead = false;             ///< the output is known when a head arrives: no cycle for routing
    bool speculative = false;           ///< a head asks for the crossbar while it asks for a virtual channel
    bool wait_for_tail_credit = false;  ///< a virtual channel is taken again only when its buffer has emptied
    bool hold_switch = false;           ///< an input keeps the crossbar as long as its packet flows
    int credit_cycles = 0;              ///< added to the way back of a credit; at most 4
    Matching virtual_channel_matching = Matching::islip;
    Matching switch_matching = Matching::islip;

    bool operator==(const RouterOptions&) const = default;
};

inline constexpr int kMostVirtualChannels = 12;
inline constexpr int kMostCreditCycles = 4;

/// Why no such router can be built, or "".
std::string problem_with(const RouterOptions& options);

/// Cycles from the moment a packet enters an idle network until its last flit is out, over `routers` routers.
std::int64_t idle_latency(const RouterOptions& options, int routers, int flits);

}  // namespace tilewright::sim
