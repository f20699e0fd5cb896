// One router of the mesh. Internal to sim/noc; network.hpp is what others use.
//
// Every cycle the router looks at what it has (which heads want a virtual channel, which flits want the crossbar),
// decides, and then changes all of it at once: nothing that is decided in a cycle is seen before the next one.
//
// A multicast packet wants several outputs. It takes their virtual channels one by one or together, each only when the
// whole packet has room behind it, so that a copy that has started never waits: then trees cannot wait for each other
// in a circle. A flit leaves by all outputs that are free in the same cycle, and its buffer is freed when the last copy
// has gone.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/noc/link.hpp"
#include "sim/noc/matching.hpp"
#include "sim/noc/mesh.hpp"
#include "sim/noc/options.hpp"
#include "sim/noc/state.hpp"

namespace tilewright::sim {

/// The links of a router, by port; null at the edges of the mesh.
struct RouterLinks {
    std::array<Link*, kPorts> in{};
    std::array<Link*, kPorts> out{};
};

/// Cycles from sending to receiving.
inline constexpr Cycle kLinkCycles = 2;
/// Cycles from the grant of the crossbar to receiving.
inline constexpr Cycle kCrossbarAndLinkCycles = 3;

class Router {
   public:
    Router(const Mesh& mesh, const RouterOptions& options, int node);

    void connect(const RouterLinks& links) { links_ = links; }

    /// Told by whoever sends to this router: something arrives in that cycle.
    void expect(Cycle arrival) { arrivals_ |= static_cast<std::uint8_t>(1U << (arrival & (Link::kReach - 1))); }

    /// Whether a cycle without arrivals would change anything.
    bool busy() const { return (routing_ | allocating_ | flowing_) != 0; }
    bool expects_anything() const { return arrivals_ != 0; }

    void step(Cycle now, const std::vector<Packet>& packets);

    /// Every flit gone, every credit home.
    bool at_rest() const;

    /// What its future depends on, beside its links; `packet` writes a packet.
    void write_state(StateWriter& writer, Cycle now, const std::function<void(PacketSlot)>& packet) const;

    std::int64_t flits_out(int port) const { return flits_out_[port]; }

    /// Outputs by which something was sent in the last step, for waking the neighbours.
    PortSet sent() const { return sent_; }
    /// Inputs whose sender was given a credit in the last step.
    PortSet credited() const { return credited_; }

   private:
    /// One virtual channel of one input: its flits, and the packet at their front.
    struct Input {
        int start = 0;  ///< of the ring of flits
        int count = 0;
        PacketSlot packet = 0;
        int length = 0;     ///< flits of the packet at the front
        int first = 0;      ///< which flit of it is at the front
        PortSet wants = 0;  ///< outputs without a virtual channel yet
        PortSet holds = 0;  ///< outputs with one
        bool multicast = false;
        std::array<std::uint8_t, kPorts> channel{};  ///< [port] the virtual channel held there
        std::array<int, kPorts> sent{};              ///< [port] flits sent there
    };
    /// A flit that crosses in this cycle.
    struct Crossing {
        int input = 0;
        int port = 0;
    };

    int vcs() const { return options_.virtual_channels; }
    Downstream& downstream(int port, int vc) { return downstream_[port * vcs() + vc]; }
    const Downstream& downstream(int port, int vc) const { return downstream_[port * vcs() + vc]; }
    bool full(int port, int vc) const { return downstream(port, vc).occupied >= options_.buffer_flits; }
    bool takeable(const Input& input, int port, int vc) const;

    void write_input(StateWriter& writer, int input, const std::function<void(PacketSlot)>& packet) const;

    void receive(Cycle now);
    void store(int input, const Flit& flit);
    void begin_packet(int input);
    void route(int input);

    void request_channels();
    void request_switch();
    void request_switch_for(int input);
    void request_speculatively(int input);
    void ask(int input, int port, bool speculative);
    void decide_crossings();
    bool speculation_holds(int input, int port) const;
    void decide_copies(int input, int port);
    void decide_held();

    void take_channels(std::uint64_t asked);
    void take_channel(int input, int port, int vc);
    void cross_held(Cycle now);
    void cross(Cycle now, const Crossing& crossing);
    void send(Cycle now, int input, int port);
    void release(Cycle now, int input);
    bool ready(const Input& input, int port) const;

    Mesh mesh_;
    RouterOptions options_;
    int node_;
    RouterLinks links_;
    const std::vector<Packet>* packets_ = nullptr;

    std::vector<Input> inputs_;  ///< [port * virtual channels + virtual channel]
    std::vector<Flit> flits_;    ///< [input][buffer_flits], rings
    std::vector<Downstream> downstream_;
    std::uint64_t routing_ = 0;     ///< inputs whose head is being routed
    std::uint64_t allocating_ = 0;  ///< inputs that want a virtual channel
    std::uint64_t flowing_ = 0;     ///< inputs that hold one
    std::uint8_t arrivals_ = 0;

    Matcher channel_matcher_;
    Matcher switch_matcher_;
    std::array<std::array<std::int8_t, kPorts>, kPorts> asking_{};  ///< [input port][output] virtual channel, -1: none
    std::array<std::array<bool, kPorts>, kPorts> asking_on_trust_{};  ///< it asks speculatively
    std::array<int, kPorts> favoured_{};  ///< [input port] first virtual channel of the round robin
    std::vector<Crossing> crossings_;
    std::vector<int> granted_;  ///< [input] output virtual channel, -1

    std::array<int, kPorts> held_by_{};  ///< [output] input that keeps the crossbar, -1
    std::array<int, kPorts> holding_{};  ///< [input port] the input that keeps it, -1
    std::array<bool, kPorts> held_moves_{};

    std::array<std::int64_t, kPorts> flits_out_{};
    PortSet sent_ = 0;
    PortSet credited_ = 0;
};

}  // namespace tilewright::sim
