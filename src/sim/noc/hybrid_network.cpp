#include "sim/noc/hybrid_network.hpp"

#include <bit>
#include <stdexcept>

namespace tilewright::sim {
namespace {

constexpr int kHybridLocal = 0;
constexpr int kHybridNorth = 1;
constexpr int kHybridEast = 2;
constexpr int kHybridSouth = 3;
constexpr int kHybridWest = 4;

constexpr std::uint8_t hybrid_port_bit(int port) { return static_cast<std::uint8_t>(1U << port); }

/// The port at the other end of a router link.
constexpr int far_port(int port) {
    return port == kHybridNorth   ? kHybridSouth
           : port == kHybridSouth ? kHybridNorth
           : port == kHybridEast  ? kHybridWest
                                  : kHybridEast;
}

/// The router behind a port, or -1.
int router_behind(const Mesh& mesh, int router, int port) {
    const int x = mesh.x(router) + (port == kHybridEast) - (port == kHybridWest);
    const int y = mesh.y(router) + (port == kHybridSouth) - (port == kHybridNorth);
    const bool inside = x >= 0 && x < mesh.columns && y >= 0 && y < mesh.rows;
    return port == kHybridLocal || !inside ? -1 : mesh.node(x, y);
}

/// x first, then y, then the terminal's port.
int hybrid_route(const HybridTerminals& terminals, int here, int terminal) {
    const Mesh& mesh = terminals.mesh;
    const int there = terminals.router(terminal);
    if (mesh.x(there) != mesh.x(here)) return mesh.x(there) > mesh.x(here) ? kHybridEast : kHybridWest;
    if (mesh.y(there) != mesh.y(here)) return mesh.y(there) > mesh.y(here) ? kHybridSouth : kHybridNorth;
    return terminals.port(terminal);
}

}  // namespace

bool HybridFlit::tail() const { return position == HybridNetwork::kPacketFlits - 1; }

int HybridTerminals::router(int terminal) const {
    int at = terminal - mesh.nodes();
    if (at < 0) return terminal;
    if (at < mesh.columns) return at;
    at -= mesh.columns;
    if (at < mesh.rows) return mesh.node(mesh.columns - 1, at);
    at -= mesh.rows;
    if (at < mesh.columns) return mesh.node(mesh.columns - 1 - at, mesh.rows - 1);
    return mesh.node(0, mesh.rows - 1 - (at - mesh.columns));
}

int HybridTerminals::port(int terminal) const {
    const int at = terminal - mesh.nodes();
    if (at < 0) return kHybridLocal;
    if (at < mesh.columns) return kHybridNorth;
    if (at < mesh.columns + mesh.rows) return kHybridEast;
    return at < 2 * mesh.columns + mesh.rows ? kHybridSouth : kHybridWest;
}

void HybridNetwork::Fifo::push(const HybridFlit& flit) { flits[(first + count++) % kFifoFlits] = flit; }

HybridFlit HybridNetwork::Fifo::pop() {
    const HybridFlit& flit = flits[first];
    first = (first + 1) % kFifoFlits;
    --count;
    return flit;
}

HybridNetwork::HybridNetwork(Mesh mesh) : terminals_{mesh} {
    if (mesh.columns < 1 || mesh.rows < 1 || mesh.nodes() > 64)
        throw std::invalid_argument("a mesh of hybrid routers has 1 to 64 of them");
    const int count = mesh.nodes();
    routers_.resize(static_cast<std::size_t>(count));
    links_.resize(static_cast<std::size_t>(2 * count * kPorts));
    reached_by_.resize(static_cast<std::size_t>(count * kPorts));
    for (int terminal = 0; terminal < terminals_.count(); ++terminal)
        link_in_.push_back(terminals_.router(terminal) * kPorts + terminals_.port(terminal));
    for (int router = 0; router < count; ++router) {
        for (int port = 0; port < kPorts; ++port) {
            const int other = router_behind(mesh, router, port);
            links_[router * kPorts + port].reader = router;
            out_link_.push_back(other < 0 ? (count + router) * kPorts + port : other * kPorts + far_port(port));
        }
        for (int terminal = 0; terminal < terminals_.count(); ++terminal) {
            const int port = hybrid_route(terminals_, router, terminal);
            port_to_.push_back(static_cast<std::int8_t>(port));
            if (terminal < count) reached_by_[router * kPorts + port] |= TerminalSet{1} << terminal;
        }
    }
}

void HybridNetwork::advance() {
    std::erase_if(held_out_, [&](int index) {
        Link& link = links_[index];
        if (link.received_full) return false;
        link.received = link.sent;
        link.sent_full = false;
        link.received_full = true;
        if (link.reader >= 0) ++routers_[link.reader].flits;
        return true;
    });
}

std::optional<HybridFlit> HybridNetwork::take(int terminal) {
    const int index = out_link_[link_in_[terminal]];
    Link& link = links_[index];
    if (!link.received_full) return std::nullopt;
    link.received_full = false;
    --flits_;
    ++delivered_;
    return link.received;
}

bool HybridNetwork::hold_out(int index, const HybridFlit& flit) {
    Link& link = links_[index];
    if (link.sent_full) return false;
    link.sent = flit;
    link.sent_full = true;
    held_out_.push_back(index);
    return true;
}

bool HybridNetwork::offer(int terminal, const HybridFlit& flit) {
    if (!hold_out(link_in_[terminal], flit)) return false;
    ++flits_;
    return true;
}

void HybridNetwork::step() {
    for (int at = 0; at < static_cast<int>(routers_.size()); ++at) {
        Router& router = routers_[at];
        if (router.flits == 0) continue;
        route(at);
        const Winners winners = arbitrate(router);
        drain(at);
        cross(at, winners);
        latch(at);
    }
}

void HybridNetwork::route(int at) {
    Router& router = routers_[at];
    for (std::size_t input = 0; input < kPorts; ++input) {
        const HybridFlit& flit = router.input[input];
        if ((router.full_inputs & hybrid_port_bit(static_cast<int>(input))) == 0 || !flit.head()) continue;
        router.multicast[input] = flit.multicast;
        if (!flit.multicast) {
            router.wanted[input] = hybrid_port_bit(port_to_[at * terminals_.count() + flit.destination]);
            continue;
        }
        router.wanted[input] = 0;
        for (int port = 0; port < kPorts; ++port) {
            if ((reached_by_[at * kPorts + port] & flit.destinations) != 0)
                router.wanted[input] |= hybrid_port_bit(port);
        }
    }
}

HybridNetwork::Winners HybridNetwork::arbitrate(Router& router) const {
    Winners winners;
    winners.fill(-1);
    grant_multicast(router, winners);
    grant_unicast(router, winners);
    return winners;
}

void HybridNetwork::grant_multicast(const Router& router, Winners& winners) const {
    Ports taken = 0;
    for (std::size_t input = 0; input < kPorts; ++input) {
        if ((router.full_inputs & hybrid_port_bit(static_cast<int>(input))) == 0 || !router.multicast[input]) continue;
        const Ports wanted = router.wanted[input];
        const Ports ready = router.input[input].head() ? router.unowned & router.has_packet : router.has_slot;
        if ((wanted & ~ready) != 0 || (wanted & taken) != 0) continue;
        taken |= wanted;
        for (std::size_t port = 0; port < kPorts; ++port) {
            if ((wanted & hybrid_port_bit(static_cast<int>(port))) != 0) winners[port] = static_cast<int>(input);
        }
    }
}

void HybridNetwork::grant_unicast(Router& router, Winners& winners) const {
    std::array<Ports, kPorts> asking{};
    for (std::size_t input = 0; input < kPorts; ++input) {
        if ((router.full_inputs & hybrid_port_bit(static_cast<int>(input))) == 0 || router.multicast[input]) continue;
        const Ports ready = router.input[input].head() ? router.unowned & router.has_slot : router.has_slot;
        if ((router.wanted[input] & ready) != 0)
            asking[static_cast<std::size_t>(std::countr_zero(router.wanted[input]))] |=
                hybrid_port_bit(static_cast<int>(input));
    }
    for (std::size_t port = 0; port < kPorts; ++port) {
        if (asking[port] == 0 || winners[port] >= 0) continue;
        int input = router.next[port];
        while ((asking[port] & hybrid_port_bit(input)) == 0) input = (input + kPorts - 1) % kPorts;
        winners[port] = input;
        router.next[port] = (input + kPorts - 1) % kPorts;
    }
}

void HybridNetwork::drain(int at) {
    Router& router = routers_[at];
    for (int port = 0; port < kPorts; ++port) {
        const auto index = static_cast<std::size_t>(port);
        if ((router.full_outputs & hybrid_port_bit(port)) != 0) {
            if (hold_out(out_link_[at * kPorts + port], router.output[index])) {
                router.full_outputs &= static_cast<Ports>(~hybrid_port_bit(port));
                --router.flits;
            }
        }
        if ((router.full_outputs & hybrid_port_bit(port)) == 0 && router.fifo[index].count > 0) {
            router.output[index] = router.fifo[index].pop();
            router.full_outputs |= hybrid_port_bit(port);
        }
    }
}

void HybridNetwork::cross(int at, const Winners& winners) {
    Router& router = routers_[at];
    Ports popped = 0;
    for (int port = 0; port < kPorts; ++port) {
        const auto index = static_cast<std::size_t>(port);
        if (winners[index] >= 0) {
            HybridFlit flit = router.input[winners[index]];
            flit.destinations &= reached_by_[at * kPorts + port];
            router.fifo[index].push(flit);
            router.unowned = static_cast<Ports>(flit.tail() ? router.unowned | hybrid_port_bit(port)
                                                            : router.unowned & ~hybrid_port_bit(port));
            popped |= hybrid_port_bit(winners[index]);
            ++router.flits;
            ++flits_;
        }
        const int free = kFifoFlits - router.fifo[index].count;
        router.has_slot = static_cast<Ports>(free > 0 ? router.has_slot | hybrid_port_bit(port)
                                                      : router.has_slot & ~hybrid_port_bit(port));
        router.has_packet = static_cast<Ports>(free >= kPacketFlits ? router.has_packet | hybrid_port_bit(port)
                                                                    : router.has_packet & ~hybrid_port_bit(port));
    }
    router.full_inputs &= static_cast<Ports>(~popped);
    router.flits -= std::popcount(popped);
    flits_ -= std::popcount(popped);
}

void HybridNetwork::latch(int at) {
    Router& router = routers_[at];
    for (int port = 0; port < kPorts; ++port) {
        Link& link = links_[at * kPorts + port];
        if (!link.received_full || (router.full_inputs & hybrid_port_bit(port)) != 0) continue;
        router.input[port] = link.received;
        link.received_full = false;
        router.full_inputs |= hybrid_port_bit(port);
    }
}

}  // namespace tilewright::sim
