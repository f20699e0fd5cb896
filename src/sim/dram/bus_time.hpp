// Use of a channel's data buses: clocks of data, and of waiting accesses by cause.
#pragma once

#include <vector>

#include "sim/dram/controller.hpp"

namespace tilewright::sim::dram {

class BusTime {
   public:
    explicit BusTime(const Device& device);

    struct Access {
        int rank = 0;
        bool write = false;
        Clock arrived = 0;    ///< at the controller
        bool opened = false;  ///< activated for this access
    };
    /// The access's command goes now; its data follows.
    void moves(const Access& access, Clock now, Counts& counts);

    void refreshes(int rank, Clock now);

   private:
    struct Bus {
        Clock free_at = 0;
        bool write = false;  ///< moved last
    };
    Timing timing_;
    bool bus_per_rank_;
    std::vector<Bus> buses_;
    std::vector<Clock> refreshed_until_;  ///< [rank]
};

}  // namespace tilewright::sim::dram
