#include "sim/dram/device.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tilewright::sim::dram {
namespace {

bool power_of_two(int value) { return value > 0 && std::has_single_bit(static_cast<unsigned>(value)); }

// Worst-case access to a bank with another open row: a shorter refresh interval might starve it.
std::int64_t longest_access(const Timing& t) {
    return std::int64_t{t.precharge_all} + t.row_cycle + std::max(t.activate_read, t.activate_write) +
           std::max(t.read, t.write) + std::max(t.burst, t.burst_long) + t.write_recovery + t.power_up;
}

std::string problem_with_refresh(const Device& device) {
    const Timing& t = device.timing;
    const std::int64_t commands = std::int64_t{2} * device.organisation.ranks;  // each rank is closed and refreshed
    const std::int64_t least = t.refresh + commands + longest_access(t);
    if (t.refresh_interval <= 0 || t.refresh_interval > least) return "";
    return "the refreshes of " + device.name + " leave no time for accesses: refresh_interval is " +
           std::to_string(t.refresh_interval) + ", a refresh and one access take " + std::to_string(least);
}

}  // namespace

std::string problem_with(const Device& device) {
    const Organisation& o = device.organisation;
    for (const int count : {o.ranks, o.bank_groups, o.banks, o.rows, o.columns, o.bus_bits, o.burst}) {
        if (!power_of_two(count))
            return "the counts of " + device.name + " have to be powers of two, not " + std::to_string(count);
    }
    if (o.bus_bits < 8) return "the bus of " + device.name + " has at least 8 bits";
    if (o.columns < o.burst) return "a row of " + device.name + " is shorter than an access";
    const Timing& t = device.timing;
    const std::array positive{t.clock_ps,      t.burst,          t.burst_long,     t.read,          t.write,
                              t.activate_read, t.activate_write, t.precharge,      t.precharge_all, t.row_open,
                              t.row_cycle,     t.write_recovery, t.read_precharge, t.column_short,  t.column_long,
                              t.row_short,     t.row_long,       t.four_activates, t.refresh,       t.activate_cycles};
    for (const int clocks : positive) {
        if (clocks < 1) return "a time of " + device.name + " is not positive";
    }
    if (device.bus == CommandBus::clock_sync && t.second_activate_within < 2)
        return device.name + " needs time for the second half of an activation";
    return problem_with_refresh(device);
}

}  // namespace tilewright::sim::dram
