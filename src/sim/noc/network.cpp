#include "sim/noc/network.hpp"

#include <algorithm>
#include <set>

#include "sim/dram/device.hpp"

namespace tilewright::sim {

std::string problem_with(const Mesh& mesh, const RouterOptions& options, const Message& message) {
    const auto inside = [&](int node) { return node >= 0 && node < mesh.nodes(); };
    if (!inside(message.source)) return "no node " + std::to_string(message.source) + " to send from";
    if (message.destinations.empty()) return "a message without a destination";
    for (const int node : message.destinations) {
        if (!inside(node)) return "no node " + std::to_string(node) + " to send to";
    }
    const std::set<int> distinct(message.destinations.begin(), message.destinations.end());
    if (distinct.size() != message.destinations.size()) return "a destination is named twice";
    if (message.flits < 1) return "a packet has at least one flit, not " + std::to_string(message.flits);
    if (message.destinations.size() > 1 && message.flits > options.buffer_flits) {
        return "a multicast packet of " + std::to_string(message.flits) + " flits does not fit a buffer of " +
               std::to_string(options.buffer_flits);
    }
    return "";
}

Network::Network(const Mesh& mesh, const RouterOptions& options)
    : mesh_(mesh),
      options_(options),
      terminals_(at(mesh.nodes())),
      links_(at(mesh.nodes() * kPorts)),
      is_awake_(at(mesh.nodes())) {
    for (Terminal& terminal : terminals_) {
        terminal.channel = options.virtual_channels - 1;
        terminal.downstream.resize(at(options.virtual_channels));
        terminal.head.assign(at(options.virtual_channels), -1);
    }
    for (int node = 0; node < mesh.nodes(); ++node) routers_.emplace_back(mesh, options, node);
    for (int node = 0; node < mesh.nodes(); ++node) connect(node);
}

void Network::connect(int node) {
    RouterLinks links;
    for (int port = 0; port < kPorts; ++port) {
        const int neighbour = mesh_.neighbour(node, port);
        neighbours_.push_back(neighbour);
        if (neighbour < 0) continue;
        links.out[at(port)] = &links_[at(node * kPorts + port)];
        links.in[at(port)] = &links_[at(neighbour * kPorts + opposite(port))];
    }
    links.in[at(index_of(Port::local))] = &terminals_[at(node)].in;
    links.out[at(index_of(Port::local))] = &terminals_[at(node)].out;
    routers_[at(node)].connect(links);
}

PacketSlot Network::slot_for(const Message& message) {
    if (free_.empty()) {
        free_.push_back(static_cast<PacketSlot>(packets_.size()));
        packets_.emplace_back();
    }
    const PacketSlot slot = free_.back();
    free_.pop_back();
    Packet& packet = packets_[slot];
    packet.source = message.source;
    packet.destinations = message.destinations;
    packet.flits = message.flits;
    packet.tag = message.tag;
    packet.created = now_;
    packet.undelivered = static_cast<int>(message.destinations.size());
    return slot;
}

void Network::send(const Message& message) {
    terminals_[at(message.source)].queue.push_back(slot_for(message));
    ++waiting_;
}

void Network::skip_to(Cycle cycle) { now_ = std::max(now_, cycle); }

void Network::step() {
    arrivals_.clear();
    for (int node = 0; node < mesh_.nodes(); ++node) serve(node);
    // Routers communicate only through links, so their order does not matter; newly woken ones have no work yet.
    const std::size_t count = awake_.size();
    for (std::size_t i = 0; i < count; ++i) routers_[at(awake_[i])].step(now_, packets_);
    for (std::size_t i = 0; i < count; ++i) tell_neighbours(awake_[i]);
    std::erase_if(awake_, [&](int node) {
        const bool sleeps = !routers_[at(node)].busy() && !routers_[at(node)].expects_anything();
        if (sleeps) is_awake_[at(node)] = 0;
        return sleeps;
    });
    ++now_;
}

void Network::serve(int node) {
    Terminal& terminal = terminals_[at(node)];
    const auto slot = static_cast<std::uint8_t>(1U << (now_ & (Link::kReach - 1)));
    const bool arrives = (terminal.due & slot) != 0;
    terminal.due &= static_cast<std::uint8_t>(~slot);
    if (arrives && terminal.in.credit_arrives(now_)) {
        terminal.downstream[at(terminal.in.take_credit(now_))].credit(options_.wait_for_tail_credit);
        --events_;
    }
    if (!terminal.queue.empty()) inject(node);
    if (arrives && terminal.out.flit_arrives(now_)) {
        const Flit flit = terminal.out.take(now_);
        --events_;
        const Cycle back = now_ + kLinkCycles + options_.credit_cycles;
        terminal.out.send_credit(back, flit.virtual_channel);
        wake(node, back);
        deliver(node, flit);
    }
}

/// Round robin over the virtual channels, after the last used one.
bool Network::choose_channel(Terminal& terminal) const {
    for (int i = 1; i <= options_.virtual_channels; ++i) {
        const int next = terminal.channel + i;
        const int vc = next < options_.virtual_channels ? next : next - options_.virtual_channels;
        const Downstream& there = terminal.downstream[at(vc)];
        if (there.taken || there.occupied >= options_.buffer_flits) continue;
        terminal.channel = vc;
        return true;
    }
    return false;
}

void Network::inject(int node) {
    Terminal& terminal = terminals_[at(node)];
    const PacketSlot slot = terminal.queue.front();
    Packet& packet = packets_[slot];
    if (terminal.sent == 0) {
        if (!choose_channel(terminal)) return;
        terminal.downstream[at(terminal.channel)].take();
        packet.injected = now_;
    }
    Downstream& there = terminal.downstream[at(terminal.channel)];
    if (there.occupied >= options_.buffer_flits) return;
    const bool tail = ++terminal.sent == packet.flits;
    there.sent(tail, options_.wait_for_tail_credit);
    terminal.in.send(now_ + kLinkCycles, {slot, static_cast<std::uint8_t>(terminal.channel), tail});
    wake(node, now_ + kLinkCycles);
    if (!tail) return;
    terminal.sent = 0;
    terminal.queue.pop_front();
    --waiting_;
}

void Network::deliver(int node, const Flit& flit) {
    Cycle& head = terminals_[at(node)].head[flit.virtual_channel];
    if (head < 0) head = now_;
    if (!flit.tail) return;
    Packet& packet = packets_[flit.packet];
    arrivals_.push_back({packet.tag, node, flit.virtual_channel, packet.created, packet.injected, head, now_});
    head = -1;
    if (--packet.undelivered == 0) free_.push_back(flit.packet);
}

void Network::wake(int node, Cycle arrival) {
    routers_[at(node)].expect(arrival);
    if (is_awake_[at(node)] != 0) return;
    is_awake_[at(node)] = 1;
    awake_.push_back(node);
}

void Network::tell_neighbours(int node) {
    const auto tell = [&](int port, Cycle arrival) {
        if (port != index_of(Port::local)) {
            wake(neighbours_[at(node * kPorts + port)], arrival);
            return;
        }
        terminals_[at(node)].due |= static_cast<std::uint8_t>(1U << (arrival & (Link::kReach - 1)));
        ++events_;
    };
    const Router& router = routers_[at(node)];
    for_each_bit(router.sent(), [&](int port) { tell(port, now_ + kCrossbarAndLinkCycles); });
    for_each_bit(router.credited(), [&](int port) {
        const bool to_router = port != index_of(Port::local);
        tell(port, now_ + kLinkCycles + (to_router ? options_.credit_cycles : 0));
    });
}

void Network::write_link(StateWriter& writer, const Link& link, const std::function<void(PacketSlot)>& packet) const {
    constexpr std::int64_t kFlit = 1;
    constexpr std::int64_t kCredit = 2;
    link.for_each(
        now_,
        [&](Cycle ahead, const Flit& flit) {
            writer.add(kFlit + 4 * ahead);
            packet(flit.packet);
            writer.add(2 * flit.virtual_channel + (flit.tail ? 1 : 0));
        },
        [&](Cycle ahead, int virtual_channel) {
            writer.add(kCredit + 4 * ahead);
            writer.add(virtual_channel);
        });
    writer.add(0);
}

void Network::write_terminal(StateWriter& writer, const Terminal& terminal,
                             const std::function<void(PacketSlot)>& packet) const {
    writer.add(static_cast<std::int64_t>(terminal.queue.size()));
    for (const PacketSlot slot : terminal.queue) packet(slot);
    writer.add(terminal.sent);
    writer.add(terminal.channel);
    for (const Downstream& there : terminal.downstream)
        writer.add(there.occupied * 4 + (there.taken ? 2 : 0) + (there.tail_sent ? 1 : 0));
    write_link(writer, terminal.in, packet);
    write_link(writer, terminal.out, packet);
    for (Cycle ahead = 0; ahead < Link::kReach; ++ahead)
        writer.add(terminal.due >> ((now_ + ahead) & (Link::kReach - 1)) & 1);
}

void Network::write_state(StateWriter& writer, const std::function<void(std::uint64_t)>& tag) const {
    const std::function<void(PacketSlot)> packet = [&](PacketSlot slot) {
        if (!writer.mention(StateWriter::Kind::packet, slot)) return;
        const Packet& one = packets_[slot];
        writer.add(one.source);
        writer.add(static_cast<std::int64_t>(one.destinations.size()));
        for (const int node : one.destinations) writer.add(node);
        writer.add(one.flits);
        writer.add(one.undelivered);
        tag(one.tag);
    };
    for (const Terminal& terminal : terminals_) write_terminal(writer, terminal, packet);
    for (const Link& link : links_) write_link(writer, link, packet);
    for (const Router& router : routers_) router.write_state(writer, now_, packet);
    for (const char awake : is_awake_) writer.add(awake);
}

bool Network::at_rest() const {
    const auto home = [](const Downstream& there) { return there.occupied == 0 && !there.taken; };
    return std::all_of(routers_.begin(), routers_.end(), [](const Router& router) { return router.at_rest(); }) &&
           std::all_of(terminals_.begin(), terminals_.end(), [&](const Terminal& terminal) {
               return terminal.queue.empty() &&
                      std::all_of(terminal.downstream.begin(), terminal.downstream.end(), home);
           });
}

}  // namespace tilewright::sim
