// Label: a partial nest inside some lattice point, reduced to the state its completions depend on. Internal to
// certificate/; see nests.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "certificate/common/charges.hpp"

namespace tilewright::certificate {

/// A delivery with words that depend on slides, or on outer fan-outs.
struct WindowDelivery {
    enum class Phase {
        unmoved,  ///< no loop so far moves the tile
        sliding,  ///< the next loop may slide it on
        whole     ///< every outer advance sends all of it: words are known, groups perhaps not
    };
    std::int8_t tensor = 0;
    std::int8_t level = 0;
    Phase phase = Phase::unmoved;
    std::uint32_t along = 0;  ///< dimensions of the sliding rank
    Move slide{};
    Move reset{};  ///< shift of the tile by the loops so far, undone by the next advance
    double tile = 0.0;
    double kept = 0.0;       ///< words of the tile kept by a slide
    double sent = 0.0;       ///< if every outer advance sends the whole tile
    Sharing sharing;         ///< as far as fan-outs are crossed
    FirstWords first;        ///< upper bound
    FirstWords least_first;  ///< lower bound; the same once known
    /// Until then: points of the tile's store and of crossed fan-outs (arrivals.hpp).
    std::vector<int> points;
    double now_pj = 0.0;    ///< if no later loop saves anything; infinite if unknown
    double least_pj = 0.0;  ///< for any later loops

    /// Any later loops save the same words of both.
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
    std::uint32_t placed = 0;  ///< dimensions without another loop before the next store
    std::uint32_t taken = 0;   ///< bounded ones without another loop at this memory
    int turn = 0;              ///< position in the order of this memory's loops, if more stores stand among them
    /// bit l: the delivery to memory l is open and unmoved
    std::array<std::uint32_t, kMaxTensors> waiting{};
    std::vector<WindowDelivery> windows;
    std::vector<double> room;  ///< by memory: words taken in those stored in part; empty if none
    Loads loads{};             ///< if timed: of settled deliveries
    double cycles = 0.0;       ///< if timed: of memories with all deliveries settled
};

using Labels = std::vector<Label>;

}  // namespace tilewright::certificate
