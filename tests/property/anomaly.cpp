#include "anomaly.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace tilewright::property {
namespace {

using Seen = SeenPackets::Seen;

/// Of a packet on both machines.
struct Both {
    Seen smaller;
    Seen larger;
};

/// The links of its way, by node and port; the node that it leaves; the outermost memory.
std::set<int> way_of(const sim::Mesh& mesh, const Seen& packet) {
    constexpr int kOutermost = -1;
    std::set<int> way{-2 - packet.source};
    if (packet.outermost) way.insert(kOutermost);
    if (packet.source == packet.destination) return way;
    for (int here = packet.source; here >= 0;) {
        const int port = sim::index_of(sim::port_towards(mesh, here, packet.destination));
        way.insert(here * sim::kPorts + port);
        here = mesh.neighbour(here, port);
    }
    return way;
}

bool meet(const std::set<int>& a, const std::set<int>& b) {
    return std::any_of(a.begin(), a.end(), [&](int place) { return b.contains(place); });
}

/// What `other` has to do with it that `late` is late; none where the two do not meet in time.
Anomaly anomaly_by(const Both& late, const Both& other) {
    const bool beside = other.larger.injected <= late.larger.tail && other.larger.tail >= late.larger.created;
    // The memory serves requests long before their words are handed over.
    const bool before = late.larger.outermost && other.larger.outermost &&
                        other.larger.created <= late.larger.created && other.larger.created < other.smaller.created;
    if (!beside && !before) return Anomaly::none;
    const bool entered_after = other.smaller.injected > late.smaller.tail;
    const bool left_after = other.smaller.tail > late.smaller.tail && other.larger.tail < late.larger.tail;
    if (entered_after || left_after) return Anomaly::overtaken;
    const bool sooner = other.larger.injected < other.smaller.injected || other.larger.tail < other.smaller.tail;
    return sooner ? Anomaly::sooner : Anomaly::turns;
}

}  // namespace

void SeenPackets::note(const sim::PacketSeen& packet) {
    const sim::Arrival& arrival = packet.arrival;
    const Key key{static_cast<int>(packet.kind), packet.step,       packet.flow, packet.group, packet.hop,
                  whole_ ? 0 : packet.number,    packet.destination};
    const auto [found, is_new] = all_.try_emplace(key, Seen{packet.source, packet.destination, packet.outermost,
                                                            arrival.created, arrival.injected, arrival.tail});
    Seen& seen = found->second;
    seen.created = std::min(seen.created, arrival.created);
    seen.injected = std::min(seen.injected, arrival.injected);
    seen.tail = std::max(seen.tail, arrival.tail);
}

Anomaly anomaly_of(const sim::Program& program, const Watched& smaller, const Watched& larger) {
    std::map<SeenPackets::Key, Both> packets;
    sim::Cycle last = 0;
    for (const auto& [key, seen] : larger.packets.all()) {
        const auto found = smaller.packets.all().find(key);
        if (found != smaller.packets.all().end()) packets[key] = {found->second, seen};
        last = std::max(last, seen.tail);
    }
    const Both* late = nullptr;
    for (const auto& [key, both] : packets) {
        const bool is_late = both.larger.tail > both.smaller.tail;
        if (is_late && (late == nullptr || both.larger.tail < late->larger.tail)) late = &both;
    }
    if (late == nullptr) {
        const bool writes_on = larger.result.dram.busy > 0 && larger.result.cycles > last;
        return writes_on ? Anomaly::writing : Anomaly::none;
    }
    const std::set<int> way = way_of(program.floor.mesh, late->larger);
    Anomaly why = Anomaly::none;
    for (const auto& [key, both] : packets) {
        if (&both == late || !meet(way, way_of(program.floor.mesh, both.larger))) continue;
        const Anomaly one = anomaly_by(*late, both);
        if (one == Anomaly::none) continue;
        why = why == Anomaly::none ? one : std::min(why, one);
    }
    return why;
}

}  // namespace tilewright::property
