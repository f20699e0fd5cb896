// The network of CoSA's simulator: a mesh of RC18 routers, Matchlib's HybridRouter (Khailany et al., "A modular digital
// VLSI flow for high-productivity SoC design", DAC 2018), as in section IV-A of CoSA (Huang et al., ISCA 2021).
//
// No virtual channels or credits: every link is a handshake, every input holds one flit, every output has a FIFO of
// seven and a register. Packets are a head and four more flits. Unicast is wormhole; multicast is virtual cut-through,
// on all outputs in the same cycle, with priority. Network (network.hpp) is the other mode.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/noc/mesh.hpp"

namespace tilewright::sim {

/// Terminals: one per router, numbered as the routers, then one per edge link, clockwise from the upper left corner:
/// north, east, south, west.
struct HybridTerminals {
    Mesh mesh;

    int count() const { return mesh.nodes() + 2 * (mesh.columns + mesh.rows); }
    int router(int terminal) const;
    /// The terminal's port at that router, of HybridNetwork's five.
    int port(int terminal) const;
};

/// Terminals of a multicast: bit 1 << terminal, routers' own terminals only.
using TerminalSet = std::uint64_t;

struct HybridFlit {
    std::int32_t tag = 0;          ///< the sender's
    std::int16_t destination = 0;  ///< of unicast
    std::int8_t position = 0;      ///< 0 is the head
    bool multicast = false;
    TerminalSet destinations = 0;  ///< of a multicast head: its copy's remaining destinations

    bool head() const { return position == 0; }
    bool tail() const;
};

/// A cycle: advance(), then take() and offer() of every terminal, then step().
class HybridNetwork {
   public:
    static constexpr int kPacketFlits = 5;
    static constexpr int kFifoFlits = 7;
    static constexpr int kPorts = 5;  ///< local, north, east, south, west: tie-breaking order

    /// Up to 64 routers, else std::invalid_argument.
    explicit HybridNetwork(Mesh mesh);

    const HybridTerminals& terminals() const { return terminals_; }

    /// Flits cross links with a ready receiver in the last cycle.
    void advance();
    /// The flit arrived at a terminal, if any. Terminals are always ready.
    std::optional<HybridFlit> take(int terminal);
    /// Hands a flit to a terminal's link; false while it is occupied.
    bool offer(int terminal, const HybridFlit& flit);
    /// All routers arbitrate and move flits.
    void step();

    /// Nothing is under way.
    bool idle() const { return flits_ == 0; }
    /// Flits in flight; copies count.
    std::int64_t flits() const { return flits_; }
    std::int64_t delivered() const { return delivered_; }

   private:
    using Ports = std::uint8_t;  ///< a set: bit 1 << port

    /// A handshake: the sender's flit and the receiver's latch.
    struct Link {
        HybridFlit sent, received;
        bool sent_full = false, received_full = false;
        int reader = -1;  ///< reading router, or -1: a terminal
    };
    struct Fifo {
        std::array<HybridFlit, kFifoFlits> flits;
        int first = 0, count = 0;

        void push(const HybridFlit& flit);
        HybridFlit pop();
    };
    struct Router {
        std::array<HybridFlit, kPorts> input;
        std::array<Fifo, kPorts> fifo;
        std::array<HybridFlit, kPorts> output;
        std::array<Ports, kPorts> wanted{};           ///< outputs of the packet at an input
        std::array<bool, kPorts> multicast{};         ///< the packet at an input is one
        std::array<int, kPorts> next{4, 4, 4, 4, 4};  ///< highest-priority input per output; then downwards
        Ports full_inputs = 0, full_outputs = 0;
        Ports unowned = 31;     ///< outputs between two packets
        Ports has_slot = 31;    ///< as of the end of the last cycle
        Ports has_packet = 31;  ///< room for a whole one, as of the end of the last cycle
        int flits = 0;          ///< inside or latched at its inputs
    };
    using Winners = std::array<int, kPorts>;  ///< input per output, or -1

    bool hold_out(int link, const HybridFlit& flit);
    void route(int router);
    Winners arbitrate(Router& router) const;
    void grant_multicast(const Router& router, Winners& winners) const;
    void grant_unicast(Router& router, Winners& winners) const;
    void cross(int router, const Winners& winners);
    void drain(int router);
    void latch(int router);

    HybridTerminals terminals_;
    std::vector<Router> routers_;
    std::vector<Link> links_;              ///< into every input port, then out of the edges
    std::vector<int> link_in_;             ///< of a terminal; its outgoing link is the out_link_ of the same index
    std::vector<int> held_out_;            ///< links with a flit offered
    std::vector<int> out_link_;            ///< router * kPorts + port
    std::vector<std::int8_t> port_to_;     ///< router * terminals + terminal
    std::vector<TerminalSet> reached_by_;  ///< router * kPorts + port
    std::int64_t flits_ = 0;
    std::int64_t delivered_ = 0;
};

}  // namespace tilewright::sim
