// Why a run takes longer on a machine that has more of something.
//
// Packets that cross every link, leave every node and are read from every memory in the same order are none of them
// later when there is more room, or more goes at once: each begins when those before it are through. So where something
// is late, another packet was in its way that was not before. The first packet that is late is held up by one that is
// not late itself, or not yet; that one is looked for, among those that share a part of its way.
#pragma once

#include <map>
#include <tuple>

#include "sim/machine/replay.hpp"

namespace tilewright::property {

enum class Anomaly {
    none,       ///< nothing that is late was found to have another packet in its way
    overtaken,  ///< by a packet that came after it on the smaller machine
    sooner,     ///< a packet shares its way that is there sooner than on the smaller machine, or through sooner
    turns,      ///< a packet shares its way on both machines, and arbiters give it other turns
    writing,    ///< no packet is late: the outermost memory takes longer over what it was given to write last
};

/// The packets of a run.
class SeenPackets {
   public:
    /// `whole` takes all packets of a transfer to a node as one: for machines whose packets hold different words.
    explicit SeenPackets(bool whole) : whole_(whole) {}

    void note(const sim::PacketSeen& packet);

    struct Seen {
        int source = 0;
        int destination = 0;
        bool outermost = false;  ///< to or from the outermost memory
        sim::Cycle created = 0;
        sim::Cycle injected = 0;
        sim::Cycle tail = 0;
    };
    /// Kind, step, flow, group, hop, number, destination.
    using Key = std::tuple<int, std::int64_t, int, int, int, std::int64_t, int>;
    const std::map<Key, Seen>& all() const { return all_; }

   private:
    bool whole_;
    std::map<Key, Seen> all_;
};

/// A run with its packets.
struct Watched {
    sim::ReplayResult result;
    SeenPackets packets;
};

/// Requires runs of the same program.
Anomaly anomaly_of(const sim::Program& program, const Watched& smaller, const Watched& larger);

}  // namespace tilewright::property
