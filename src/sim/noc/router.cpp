#include "sim/noc/router.hpp"

#include <algorithm>
#include <utility>

#include "sim/dram/device.hpp"

namespace tilewright::sim {
namespace {

std::uint64_t bit(int index) { return std::uint64_t{1} << index; }
PortSet port_bit(int port) { return static_cast<PortSet>(1U << port); }

}  // namespace

Router::Router(const Mesh& mesh, const RouterOptions& options, int node)
    : mesh_(mesh),
      options_(options),
      node_(node),
      inputs_(at(kPorts * options.virtual_channels)),
      flits_(at(kPorts * options.virtual_channels * options.buffer_flits)),
      downstream_(at(kPorts * options.virtual_channels)),
      channel_matcher_(options.virtual_channel_matching, kPorts * options.virtual_channels),
      switch_matcher_(options.switch_matching, kPorts),
      granted_(at(kPorts * options.virtual_channels), -1) {
    for (auto& row : asking_) row.fill(-1);
    held_by_.fill(-1);
    holding_.fill(-1);
}

void Router::step(Cycle now, const std::vector<Packet>& packets) {
    packets_ = &packets;
    sent_ = 0;
    credited_ = 0;
    receive(now);
    if (!busy()) return;
    const std::uint64_t routed = routing_;
    const std::uint64_t asked = allocating_;

    request_channels();
    decide_held();
    request_switch();
    decide_crossings();

    for_each_bit(routed, [&](int input) { route(input); });
    take_channels(asked);
    cross_held(now);
    for (const Crossing& crossing : crossings_) cross(now, crossing);
}

// ---- arrivals

void Router::receive(Cycle now) {
    const auto slot = static_cast<std::uint8_t>(1U << (now & (Link::kReach - 1)));
    if ((arrivals_ & slot) == 0) return;
    arrivals_ &= static_cast<std::uint8_t>(~slot);
    for (int port = 0; port < kPorts; ++port) {
        Link* const in = links_.in[at(port)];
        if (in != nullptr && in->flit_arrives(now)) {
            const Flit flit = in->take(now);
            store(port * vcs() + flit.virtual_channel, flit);
        }
        Link* const out = links_.out[at(port)];
        if (out != nullptr && out->credit_arrives(now)) {
            downstream(port, out->take_credit(now)).credit(options_.wait_for_tail_credit);
        }
    }
}

void Router::store(int input, const Flit& flit) {
    Input& in = inputs_[at(input)];
    const int end = in.start + in.count;
    flits_[at(input * options_.buffer_flits + (end < options_.buffer_flits ? end : end - options_.buffer_flits))] =
        flit;
    ++in.count;
    if (((routing_ | allocating_ | flowing_) & bit(input)) == 0) begin_packet(input);
}

void Router::begin_packet(int input) {
    Input& in = inputs_[at(input)];
    in.packet = flits_[at(input * options_.buffer_flits + in.start)].packet;
    in.length = (*packets_)[in.packet].flits;
    in.first = 0;
    in.sent.fill(0);
    routing_ |= bit(input);
    if (options_.lookahead) route(input);
}

void Router::route(int input) {
    Input& in = inputs_[at(input)];
    const Packet& packet = (*packets_)[in.packet];
    in.wants = ports_of_tree(mesh_, node_, packet.source, packet.destinations);
    in.multicast = packet.destinations.size() > 1;
    routing_ &= ~bit(input);
    allocating_ |= bit(input);
}

// ---- virtual channels

bool Router::takeable(const Input& input, int port, int vc) const {
    const Downstream& there = downstream(port, vc);
    return !there.taken && (!input.multicast || there.occupied + input.length <= options_.buffer_flits);
}

void Router::request_channels() {
    if (allocating_ == 0) return;
    for_each_bit(allocating_, [&](int input) {
        const Input& in = inputs_[at(input)];
        for_each_bit(in.wants, [&](int port) {
            for (int vc = 0; vc < vcs(); ++vc) {
                if (takeable(in, port, vc)) channel_matcher_.request(input, port * vcs() + vc);
            }
        });
    });
    channel_matcher_.match();
    for_each_bit(allocating_, [&](int input) { granted_[at(input)] = channel_matcher_.output_of(input); });
}

void Router::take_channels(std::uint64_t asked) {
    if (asked == 0) return;
    std::uint64_t taken = channel_matcher_.matched_outputs();
    for_each_bit(asked, [&](int input) {
        const int output = std::exchange(granted_[at(input)], -1);
        if (output >= 0) take_channel(input, output / vcs(), output % vcs());
    });
    // Copies of a multicast packet do not wait for each other's arbiters.
    for_each_bit(asked, [&](int input) {
        const Input& in = inputs_[at(input)];
        if (!in.multicast) return;
        for_each_bit(in.wants, [&](int port) {
            for (int vc = 0; vc < vcs() && (in.wants & port_bit(port)) != 0; ++vc) {
                if ((taken & bit(port * vcs() + vc)) != 0 || !takeable(in, port, vc)) continue;
                taken |= bit(port * vcs() + vc);
                take_channel(input, port, vc);
            }
        });
    });
}

void Router::take_channel(int input, int port, int vc) {
    Input& in = inputs_[at(input)];
    downstream(port, vc).take();
    in.channel[at(port)] = static_cast<std::uint8_t>(vc);
    in.wants &= static_cast<PortSet>(~port_bit(port));
    in.holds |= port_bit(port);
    if (in.wants == 0) allocating_ &= ~bit(input);
    flowing_ |= bit(input);
}

// ---- the crossbar

/// Whether the next flit for `port` is present, with room behind it.
bool Router::ready(const Input& input, int port) const {
    const int ahead = input.sent[at(port)] - input.first;
    return ahead < input.count && !full(port, input.channel[at(port)]);
}

void Router::request_switch() {
    for_each_bit(flowing_, [&](int input) { request_switch_for(input); });
    if (options_.speculative) {
        for_each_bit(allocating_ & ~flowing_, [&](int input) { request_speculatively(input); });
    }
}

void Router::request_switch_for(int input) {
    const Input& in = inputs_[at(input)];
    if (in.count == 0 || holding_[at(input / vcs())] >= 0) return;
    for_each_bit(in.holds, [&](int port) {
        if (held_by_[at(port)] < 0 && ready(in, port)) ask(input, port, false);
    });
}

void Router::request_speculatively(int input) {
    const Input& in = inputs_[at(input)];
    if (in.multicast || holding_[at(input / vcs())] >= 0) return;
    const int port = std::countr_zero(in.wants);
    if (held_by_[at(port)] >= 0) return;
    for (int vc = 0; vc < vcs(); ++vc) {
        if (downstream(port, vc).taken || full(port, vc)) continue;
        ask(input, port, true);
        return;
    }
}

/// Of an input's virtual channels requesting one output, those with a channel go first, then round robin.
void Router::ask(int input, int port, bool speculative) {
    const int from = input / vcs();
    const int vc = input % vcs();
    const auto turn = [&](int channel) { return (channel - favoured_[at(from)] + vcs()) % vcs(); };
    std::int8_t& asking = asking_[at(from)][at(port)];
    bool& on_trust = asking_on_trust_[at(from)][at(port)];
    const bool better =
        asking < 0 || (on_trust && !speculative) || (on_trust == speculative && turn(vc) < turn(asking));
    if (!better) return;
    asking = static_cast<std::int8_t>(vc);
    on_trust = speculative;
    switch_matcher_.request(from, port);
}

void Router::decide_crossings() {
    crossings_.clear();
    switch_matcher_.match();
    for (int from = 0; from < kPorts; ++from) {
        const int port = switch_matcher_.output_of(from);
        if (port >= 0) {
            const int vc = asking_[at(from)][at(port)];
            const int input = from * vcs() + vc;
            favoured_[at(from)] = (vc + 1) % vcs();
            if (!asking_on_trust_[at(from)][at(port)] || speculation_holds(input, port)) {
                crossings_.push_back({input, port});
                if (inputs_[at(input)].multicast) decide_copies(input, port);
            }
        }
    }
    for (auto& row : asking_) row.fill(-1);
}

/// A speculative head crosses if granted a virtual channel with room in this cycle.
bool Router::speculation_holds(int input, int port) const {
    const int output = granted_[at(input)];
    return output >= 0 && output / vcs() == port && !full(port, output % vcs());
}

/// The same flit leaves by further unassigned outputs.
void Router::decide_copies(int input, int port) {
    const Input& in = inputs_[at(input)];
    for_each_bit(in.holds & ~port_bit(port), [&](int other) {
        const bool free = (switch_matcher_.matched_outputs() & bit(other)) == 0 && held_by_[at(other)] < 0;
        const bool claimed =
            std::any_of(crossings_.begin(), crossings_.end(), [&](const Crossing& c) { return c.port == other; });
        if (free && !claimed && in.sent[at(other)] == in.sent[at(port)] && ready(in, other))
            crossings_.push_back({input, other});
    });
}

void Router::cross(Cycle now, const Crossing& crossing) {
    const Input& in = inputs_[at(crossing.input)];
    send(now, crossing.input, crossing.port);
    release(now, crossing.input);
    const bool goes_on = (in.holds & port_bit(crossing.port)) != 0 && in.count > 0;
    if (options_.hold_switch && !in.multicast && goes_on) {
        held_by_[at(crossing.port)] = crossing.input;
        holding_[at(crossing.input / vcs())] = crossing.input;
    }
}

// ---- connections that are held

void Router::decide_held() {
    if (!options_.hold_switch) return;
    for (int port = 0; port < kPorts; ++port) {
        const int input = held_by_[at(port)];
        held_moves_[at(port)] = input >= 0 && ready(inputs_[at(input)], port);
    }
}

void Router::cross_held(Cycle now) {
    if (!options_.hold_switch) return;
    for (int port = 0; port < kPorts; ++port) {
        const int input = held_by_[at(port)];
        if (input < 0) continue;
        held_by_[at(port)] = -1;
        holding_[at(input / vcs())] = -1;
        if (held_moves_[at(port)]) cross(now, {input, port});
    }
}

// ---- departures

void Router::send(Cycle now, int input, int port) {
    Input& in = inputs_[at(input)];
    const int vc = in.channel[at(port)];
    const bool tail = ++in.sent[at(port)] == in.length;
    downstream(port, vc).sent(tail, options_.wait_for_tail_credit);
    if (tail) in.holds &= static_cast<PortSet>(~port_bit(port));
    links_.out[at(port)]->send(now + kCrossbarAndLinkCycles, {in.packet, static_cast<std::uint8_t>(vc), tail});
    ++flits_out_[at(port)];
    sent_ |= port_bit(port);
}

/// Frees the front flit once all its copies have left.
void Router::release(Cycle now, int input) {
    Input& in = inputs_[at(input)];
    int gone = in.wants != 0 ? 0 : in.length;
    for_each_bit(in.holds, [&](int port) { gone = std::min(gone, in.sent[at(port)]); });
    if (gone <= in.first) return;
    if (++in.start == options_.buffer_flits) in.start = 0;
    --in.count;
    ++in.first;
    const int from = input / vcs();
    const bool to_router = from != index_of(Port::local);
    links_.in[at(from)]->send_credit(now + kLinkCycles + (to_router ? options_.credit_cycles : 0), input % vcs());
    credited_ |= port_bit(from);
    if (in.first < in.length) return;
    flowing_ &= ~bit(input);
    if (in.count > 0) begin_packet(input);
}

// ---- a moment

void Router::write_input(StateWriter& writer, int input, const std::function<void(PacketSlot)>& packet) const {
    const Input& in = inputs_[at(input)];
    writer.add(in.count);
    for (int i = 0; i < in.count; ++i) {
        const int place = in.start + i;
        const Flit& flit = flits_[at(input * options_.buffer_flits +
                                     (place < options_.buffer_flits ? place : place - options_.buffer_flits))];
        packet(flit.packet);
        writer.add(flit.tail ? 1 : 0);
    }
    if (((routing_ | allocating_ | flowing_) & bit(input)) == 0) return;
    packet(in.packet);
    writer.add(in.first);
    if ((routing_ & bit(input)) != 0) return;
    writer.add(in.wants);
    writer.add(in.holds);
    for_each_bit(in.holds, [&](int port) {
        writer.add(in.channel[at(port)]);
        writer.add(in.sent[at(port)]);
    });
}

void Router::write_state(StateWriter& writer, Cycle now, const std::function<void(PacketSlot)>& packet) const {
    for (const std::uint64_t set : {routing_, allocating_, flowing_}) writer.add(static_cast<std::int64_t>(set));
    for (int input = 0; input < kPorts * vcs(); ++input) write_input(writer, input, packet);
    for (const Downstream& there : downstream_)
        writer.add(there.occupied * 4 + (there.taken ? 2 : 0) + (there.tail_sent ? 1 : 0));
    for (Cycle ahead = 0; ahead < Link::kReach; ++ahead)
        writer.add(arrivals_ >> ((now + ahead) & (Link::kReach - 1)) & 1);
    channel_matcher_.write_state(writer);
    switch_matcher_.write_state(writer);
    for (int port = 0; port < kPorts; ++port) {
        writer.add(favoured_[at(port)]);
        writer.add(held_by_[at(port)]);
        writer.add(holding_[at(port)]);
    }
}

bool Router::at_rest() const {
    const bool empty = std::all_of(inputs_.begin(), inputs_.end(), [](const Input& in) { return in.count == 0; });
    return !busy() && empty && std::all_of(downstream_.begin(), downstream_.end(), [](const Downstream& there) {
        return there.occupied == 0 && !there.taken;
    });
}

}  // namespace tilewright::sim
