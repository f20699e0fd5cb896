// Label: a way to build the loops inside some point of the lattice, as far as it matters for what follows. Internal to
// certificate/; nests.hpp says what labels are for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "certificate/common/charges.hpp"

namespace tilewright::certificate {

/// A delivery whose words depend on how the tile slides, or on fan-outs further out.
struct WindowDelivery {
    enum class Phase {
        unmoved,  ///< no loop so far moves the tile
        sliding,  ///< the next loop may slide it on
        whole     ///< every advance further out sends all of it: the words are known, the groups may not be
    };
    std::int8_t tensor = 0;
    std::int8_t level = 0;
    Phase phase = Phase::unmoved;
    std::uint32_t along = 0;  ///< dimensions of the rank that slides
    Move slide{};
    Move reset{};  ///< how far the loops so far have moved the tile: the next advance undoes it
    double tile = 0.0;
    double kept = 0.0;       ///< words of the tile that a slide keeps
    double sent = 0.0;       ///< if every advance further out sends the whole tile
    Sharing sharing;         ///< as far as fan-outs are crossed
    FirstWords first;        ///< at most
    FirstWords least_first;  ///< the same, once it is known
    /// While it is not: the points where the tile is stored, and where fan-outs were crossed (arrivals.hpp).
    std::vector<int> points;
    double now_pj = 0.0;    ///< if no loop to come saves anything; infinite where that is not known
    double least_pj = 0.0;  ///< whatever follows

    /// The same will be saved whatever loops follow.
    bool goes_on_like(const WindowDelivery& other) const {
        if (tensor != other.tensor || level != other.level || phase != other.phase || sharing != other.sharing ||
            first != other.first || points != other.points)
            return false;
        return phase != Phase::sliding ||
               (tile == other.tile && kept == other.kept && slide == other.slide && reset == other.reset);
    }
};

struct Label {
    double pj = 0.0;           ///< of settled deliveries
    double least_pj = 0.0;     ///< with the open ones at their least
    std::uint32_t placed = 0;  ///< dimensions that may not have another loop before the next store
    std::uint32_t taken = 0;   ///< those with bounds that may not have another one at this memory
    int turn = 0;  ///< how far the order of this memory's loops has come, where more stores stand among them
    /// bit l: the delivery to memory l is open, and no loop moved it
    std::array<std::uint32_t, kMaxTensors> waiting{};
    std::vector<WindowDelivery> windows;
    std::vector<double> room;  ///< by memory: words taken of those that are stored in part; empty where there is none
    Loads loads{};             ///< when timed: of settled deliveries
    double cycles = 0.0;       ///< when timed: of memories all of whose deliveries are settled
};

using Labels = std::vector<Label>;

}  // namespace tilewright::certificate
