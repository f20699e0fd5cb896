// Minimum distances between commands, derived from a device's named times (JEDEC's tables).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/dram/device.hpp"

namespace tilewright::sim::dram {

enum class Command : std::uint8_t {
    activate,
    activate_second,  ///< the second half, if any
    precharge,
    precharge_all,
    sync_read,  ///< starts the data clock before a read
    sync_write,
    read,
    write,
    read_close,  ///< with auto-precharge
    write_close,
    refresh,
};
inline constexpr int kCommands = 11;

/// Reads and writes, with or without precharge: commands with data.
constexpr bool is_access(Command command) {
    return command == Command::read || command == Command::write || command == Command::read_close ||
           command == Command::write_close;
}

/// Common scope required for a rule to bind.
enum class Scope : std::uint8_t { channel, rank, bank_group, bank };
inline constexpr int kScopes = 4;

/// Minimum clocks from `before` to `after` in the same scope.
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
