// One router of the mesh. Internal to sim/noc; the interface is network.hpp.
//
// Per cycle the router reads its state (heads requesting a virtual channel, flits requesting the crossbar), decides,
// and then changes all of it at once: decisions are visible in the next cycle only.
//
// A multicast packet requests several outputs. It takes their virtual channels singly or together, each only with room
// for the whole packet, so that a started copy never waits: trees cannot deadlock. A flit leaves by all free outputs in
// the same cycle, and its buffer is freed with the last copy.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/noc/link.hpp"
#include "sim/noc/matching.hpp"
#include "sim/noc/mesh.hpp"
#include "sim/noc/state.hpp"

namespace tilewright::sim {

/// A router's links by port; null at the mesh edges.
struct RouterLinks {
    std::array<Link*, kPorts> in{};
    std::array<Link*, kPorts> out{};
};

inline constexpr Cycle kLinkCycles = 2;
/// Cycles from the crossbar grant to receiving.
inline constexpr Cycle kCrossbarAndLinkCycles = 3;

class Router {
   public:
    Router(const Mesh& mesh, const RouterOptions& options, int node);

    void connect(const RouterLinks& links) { links_ = links; }

    /// The sender's announcement of an arrival in that cycle.
    void expect(Cycle arrival) { arrivals_ |= static_cast<std::uint8_t>(1U << (arrival & (Link::kReach - 1))); }

    /// Whether a cycle without arrivals has an effect.
    bool busy() const { return (routing_ | allocating_ | flowing_) != 0; }
    bool expects_anything() const { return arrivals_ != 0; }

    void step(Cycle now, const std::vector<Packet>& packets);

    /// Every flit gone, every credit home.
    bool at_rest() const;

    /// State determining its future, without its links; `packet` writes a packet.
    void write_state(StateWriter& writer, Cycle now, const std::function<void(PacketSlot)>& packet) const;

    std::int64_t flits_out(int port) const { return flits_out_[port]; }

    /// Outputs used in the last step, for waking the neighbours.
    PortSet sent() const { return sent_; }
    /// Inputs with a credit returned in the last step.
    PortSet credited() const { return credited_; }

   private:
    /// One virtual channel of one input: its flits, and its front packet.
    struct Input {
        int start = 0;  ///< of the flit ring
        int count = 0;
        PacketSlot packet = 0;
        int length = 0;     ///< flits of the front packet
        int first = 0;      ///< index of its front flit
        PortSet wants = 0;  ///< outputs still without a virtual channel
        PortSet holds = 0;  ///< outputs with one
        bool multicast = false;
        std::array<std::uint8_t, kPorts> channel{};  ///< [port] its virtual channel there
        std::array<int, kPorts> sent{};              ///< [port] flits sent there
    };
    /// A flit crossing in this cycle.
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
    std::uint64_t routing_ = 0;     ///< inputs with a head in routing
    std::uint64_t allocating_ = 0;  ///< inputs requesting a virtual channel
    std::uint64_t flowing_ = 0;     ///< inputs holding one
    std::uint8_t arrivals_ = 0;

    Matcher channel_matcher_;
    Matcher switch_matcher_;
    std::array<std::array<std::int8_t, kPorts>, kPorts> asking_{};  ///< [input port][output] virtual channel, -1: none
    std::array<std::array<bool, kPorts>, kPorts> asking_on_trust_{};  ///< it asks speculatively
    std::array<int, kPorts> favoured_{};  ///< [input port] round-robin pointer over virtual channels
    std::vector<Crossing> crossings_;
    std::vector<int> granted_;  ///< [input] output virtual channel, -1

    std::array<int, kPorts> held_by_{};  ///< [output] input keeping the crossbar, -1
    std::array<int, kPorts> holding_{};  ///< [input port] the input that keeps it, -1
    std::array<bool, kPorts> held_moves_{};

    std::array<std::int64_t, kPorts> flits_out_{};
    PortSet sent_ = 0;
    PortSet credited_ = 0;
};

}  // namespace tilewright::sim
