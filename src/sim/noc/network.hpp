// A mesh network with wormhole routers, virtual channels and credits, moved cycle by cycle.
//
//     Network network({.columns = 4, .rows = 4}, {.virtual_channels = 2, .buffer_flits = 8});
//     network.send({.source = 0, .destinations = {15}, .flits = 5, .tag = 1});
//     while (!network.idle()) {
//         network.step();
//         for (const Arrival& arrival : network.arrivals()) ...
//     }
//
// Packets queue at their source in sending order; one flit per cycle enters and leaves at every terminal. With one
// destination per packet it equals BookSim 2 (mesh, dimension-order routing, input-queued router) to the cycle.
// Deterministic. Not thread-safe; networks share nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/noc/link.hpp"
#include "sim/noc/mesh.hpp"
#include "sim/noc/router.hpp"

namespace tilewright::sim {

struct Message {
    int source = 0;
    std::vector<int> destinations;  ///< distinct; more than one makes a multicast
    int flits = 1;
    std::uint64_t tag = 0;  ///< returned with every arrival
};

/// A packet's tail left the network at one destination.
struct Arrival {
    std::uint64_t tag = 0;
    int node = 0;
    int virtual_channel = 0;
    Cycle created = 0;   ///< handed over
    Cycle injected = 0;  ///< entry of the head into the network
    Cycle head = 0;      ///< the head left it
    Cycle tail = 0;

    bool operator==(const Arrival&) const = default;
};

/// Reason why such a message cannot be sent, or "". A multicast packet must fit a buffer (reason: router.hpp).
std::string problem_with(const Mesh& mesh, const RouterOptions& options, const Message& message);

class Network {
   public:
    /// Requires problem_with(options).empty() and a mesh of at least one router.
    Network(const Mesh& mesh, const RouterOptions& options);

    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /// Queues at its source in this cycle. Requires problem_with(mesh, options, message).empty().
    void send(const Message& message);

    void step();

    /// Skips idle cycles. Requires idle().
    void skip_to(Cycle cycle);

    Cycle now() const { return now_; }
    /// Of the last step.
    const std::vector<Arrival>& arrivals() const { return arrivals_; }
    /// No packets or credits queued or in flight.
    bool idle() const { return waiting_ == 0 && awake_.empty() && events_ == 0; }

    /// Every buffer is empty and every credit returned; implied by idle() unless something was lost.
    bool at_rest() const;

    std::int64_t packets_waiting(int node) const { return static_cast<std::int64_t>(terminals_[node].queue.size()); }

    std::int64_t flits_through(int node, int port) const { return routers_[node].flits_out(port); }
    const Mesh& mesh() const { return mesh_; }

    /// State determining the future: equal states evolve equally until the next send. `tag` writes the meaning of a
    /// sender's tag.
    void write_state(StateWriter& writer, const std::function<void(std::uint64_t)>& tag) const;

   private:
    struct Terminal {
        std::deque<PacketSlot> queue;
        int sent = 0;  ///< flits of the front packet
        int channel = 0;
        std::vector<Downstream> downstream;  ///< [virtual channel]
        std::vector<Cycle> head;             ///< [virtual channel] departure of the arriving head, or -1
        Link in;                             ///< to the router
        Link out;                            ///< from it
        std::uint8_t due = 0;                ///< cycles with an arrival, as in Router
    };

    void write_link(StateWriter& writer, const Link& link, const std::function<void(PacketSlot)>& packet) const;
    void write_terminal(StateWriter& writer, const Terminal& terminal,
                        const std::function<void(PacketSlot)>& packet) const;
    void connect(int node);
    PacketSlot slot_for(const Message& message);
    void serve(int node);
    void inject(int node);
    bool choose_channel(Terminal& terminal) const;
    void deliver(int node, const Flit& flit);
    void wake(int node, Cycle arrival);
    void tell_neighbours(int node);

    Mesh mesh_;
    RouterOptions options_;
    Cycle now_ = 0;
    std::vector<Packet> packets_;
    std::vector<PacketSlot> free_;
    std::vector<Terminal> terminals_;
    std::vector<Router> routers_;
    std::vector<int> neighbours_;  ///< [router * kPorts + port]
    std::vector<Link> links_;      ///< [router * kPorts + output port]
    std::vector<Arrival> arrivals_;
    std::vector<int> awake_;  ///< routers to step, any order
    std::vector<char> is_awake_;
    std::int64_t waiting_ = 0;  ///< packets in the terminals' queues
    std::int64_t events_ = 0;   ///< flits and credits on their way to terminals
};

}  // namespace tilewright::sim
