// A memory device: banks, timing, energy. From data/dram (load.hpp), or made by hand.
//
// Tile, node, bank and channel numbers as vector subscripts. Internal to sim/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::sim::dram {

using Clock = std::int64_t;  ///< clocks of the memory's command bus

enum class CommandBus : std::uint8_t {
    single,          ///< one command per clock (DDR2 to DDR5)
    row_and_column,  ///< one row command and one column command per clock (HBM)
    clock_sync,      ///< one per clock; two-part activation, data clock started on demand (LPDDR5)
};

struct Organisation {
    int ranks = 1;        ///< or pseudo-channels
    int bank_groups = 1;  ///< per rank
    int banks = 8;        ///< per group
    int rows = 65536;
    int columns = 1024;  ///< in bus widths
    int bus_bits = 64;
    int burst = 8;              ///< columns per access
    bool own_data_bus = false;  ///< a data bus per rank (pseudo-channels)

    int access_bytes() const { return bus_bits / 8 * burst; }
    bool operator==(const Organisation&) const = default;
};

/// In clocks. `short`: across bank groups, `long`: within one; equal without groups.
struct Timing {
    int clock_ps = 1250;
    int burst = 4;       ///< data bus time of an access
    int burst_long = 4;  ///< the same before an access to the same bank group
    int read = 11;       ///< read command to data
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
    int second_activate_within = 0;  ///< clock_sync: maximum delay of the second part
    int data_clock_after = 0;        ///< clock_sync: data clock's run time after an access
    int power_down = 0;              ///< tCKE: minimum sleep of a rank
    int power_up = 0;                ///< tXP: wake-up to the next command; 0: no sleep

    bool operator==(const Timing&) const = default;
};

/// Picojoules of a whole channel (all chips of a rank).
struct Energy {
    double activate_pj = 0.0;  ///< with its precharge
    double read_pj = 0.0;      ///< one access
    double write_pj = 0.0;
    double refresh_pj = 0.0;
    double background_mw = 0.0;  ///< constant power

    bool operator==(const Energy&) const = default;
};

struct Device {
    std::string name;
    CommandBus bus = CommandBus::single;
    Organisation organisation;
    Timing timing;
    std::optional<Energy> energy;  ///< empty: unpublished
    std::string source;

    bool operator==(const Device&) const = default;
};

/// Reason why the device cannot be simulated, or "".
std::string problem_with(const Device& device);

}  // namespace tilewright::sim::dram

namespace tilewright::sim {

constexpr std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

}  // namespace tilewright::sim
