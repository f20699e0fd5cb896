// Router parameters.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright::sim {

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

/// Cycles from a packet's entry into an idle network until its last flit is out, over `routers` routers.
std::int64_t idle_latency(const RouterOptions& options, int routers, int flits);

}  // namespace tilewright::sim
