// What a memory device is: its banks, its timing, its energy. Read from data/dram (load.hpp), or made by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::sim::dram {

using Clock = std::int64_t;  ///< clocks of the memory's command bus

/// How commands reach the banks of a channel.
enum class CommandBus : std::uint8_t {
    single,          ///< one command per clock (DDR2 to DDR5)
    row_and_column,  ///< one row command and one column command per clock (HBM)
    clock_sync,      ///< one per clock; activation in two parts, and the data clock has to be started first (LPDDR5)
};

struct Organisation {
    int ranks = 1;        ///< or pseudo-channels
    int bank_groups = 1;  ///< per rank
    int banks = 8;        ///< per group
    int rows = 65536;
    int columns = 1024;  ///< of the width of the bus
    int bus_bits = 64;
    int burst = 8;              ///< columns per access
    bool own_data_bus = false;  ///< every rank has a data bus of its own (pseudo-channels)

    int access_bytes() const { return bus_bits / 8 * burst; }
    bool operator==(const Organisation&) const = default;
};

/// In clocks. `short`: across bank groups, `long`: within one; equal where there are no groups.
struct Timing {
    int clock_ps = 1250;
    int burst = 4;       ///< the data bus is taken by an access
    int burst_long = 4;  ///< the same, where the next access goes to the same bank group
    int read = 11;       ///< from the read command to data
    int write = 8;
    int activate_read = 11;  ///< tRCD
    int activate_write = 11;
    int precharge = 11;  ///< tRP
    int precharge_all = 11;
    int row_open = 28;   ///< tRAS
    int row_cycle = 39;  ///< tRC
    int write_recovery = 12;
    int read_precharge = 6;  ///< tRTP
    int column_short = 4;    ///< tCCD
    int column_long = 4;
    int row_short = 5;  ///< tRRD
    int row_long = 5;
    int write_read_short = 6;  ///< tWTR
    int write_read_long = 6;
    int four_activates = 24;      ///< tFAW
    int refresh = 208;            ///< tRFC
    int refresh_interval = 6240;  ///< tREFI; 0: no refresh
    int rank_switch = 2;
    int activate_cycles = 1;         ///< clocks of an activate command on the bus
    int precharge_gap = 0;           ///< tPPD
    int second_activate_within = 0;  ///< clock_sync: the second part follows at most so much later
    int data_clock_after = 0;        ///< clock_sync: the data clock runs on so long after an access
    int power_down = 0;              ///< tCKE: a rank sleeps so long at least
    int power_up = 0;                ///< tXP: from its waking to its next command; 0: it cannot sleep

    bool operator==(const Timing&) const = default;
};

/// Picojoules of a whole channel (all chips of a rank).
struct Energy {
    double activate_pj = 0.0;  ///< with its precharge
    double read_pj = 0.0;      ///< one access
    double write_pj = 0.0;
    double refresh_pj = 0.0;
    double background_mw = 0.0;  ///< power that is always drawn

    bool operator==(const Energy&) const = default;
};

struct Device {
    std::string name;
    CommandBus bus = CommandBus::single;
    Organisation organisation;
    Timing timing;
    std::optional<Energy> energy;  ///< empty: it is not published
    std::string source;

    double bytes_per_clock() const {
        return static_cast<double>(organisation.access_bytes()) / timing.burst *
               (organisation.own_data_bus ? organisation.ranks : 1);
    }
    bool operator==(const Device&) const = default;
};

/// Why such a device cannot be simulated, or "".
std::string problem_with(const Device& device);

}  // namespace tilewright::sim::dram
