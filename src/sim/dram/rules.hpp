// The times that must pass between commands, as rules derived from the named times of a device (JEDEC's tables).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/dram/device.hpp"

namespace tilewright::sim::dram {

enum class Command : std::uint8_t {
    activate,
    activate_second,  ///< the second half, where there are two
    precharge,
    precharge_all,
    sync_read,  ///< starts the data clock before a read
    sync_write,
    read,
    write,
    read_close,  ///< with a precharge behind it
    write_close,
    refresh,
};
inline constexpr int kCommands = 11;

/// Reads and writes, whether they close the row or not: what moves data.
constexpr bool is_access(Command command) {
    return command == Command::read || command == Command::write || command == Command::read_close ||
           command == Command::write_close;
}

/// Whether two commands have to go to the same place for a rule to bind them.
enum class Scope : std::uint8_t { channel, rank, bank_group, bank };
inline constexpr int kScopes = 4;

/// After `before`, `after` in the same place has to wait so many clocks.
struct Rule {
    Scope scope = Scope::bank;
    Command before = Command::activate;
    Command after = Command::activate;
    int clocks = 0;
    int window = 1;            ///< counted from the window-th last `before`
    bool other_ranks = false;  ///< binds `after` in the other ranks instead
};

std::vector<Rule> rules_of(const Device& device);

}  // namespace tilewright::sim::dram
