// The simplest machines for which fused mappings are searched: a DRAM, a buffer that holds what is shared, and an array
// of units with a register of one word each.
//
// The costs of such a machine are sums over words that are counted directly, so that floors of leaves are mostly
// reached (leaf/array_floor.hpp). Values; thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "arch/architecture.hpp"

namespace tilewright::fusion {

/// Memories of the architecture, by index.
inline constexpr int kDram = 0;
inline constexpr int kBuffer = 1;
inline constexpr int kRegister = 2;

/// Energies in pJ per word, rates in words per cycle (infinity: never binds).
struct MemoryPort {
    double read_pj = 0.0;
    double fill_pj = 0.0;
    double update_pj = 0.0;
    double read_rate = 0.0;
    double write_rate = 0.0;
    double shared_rate = 0.0;
};

struct Machine {
    std::int64_t capacity_words = 0;  ///< of the buffer
    MemoryPort dram;
    MemoryPort buffer;
    double operation_pj = 0.0;
    Mesh array;                   ///< units along X and Y, of machine_of() only
    int buffer_memory = kBuffer;  ///< index of the memory in which shared stores lie
};

/// Why the search does not know such a machine, in words; "" when it does: exactly three memories, each access of one
/// word, energies by word alone (no leakage, links or addresses that cost), one DRAM and one buffer, registers of one
/// word that cost nothing and never bind, one for every unit.
std::string problem_with_machine(const Architecture& architecture);

/// Requires problem_with_machine() to be "".
Machine machine_of(const Architecture& architecture);

/// Words that move through one memory.
struct Words {
    double reads = 0.0;
    double fills = 0.0;
    double updates = 0.0;
};

double energy_pj(const MemoryPort& port, const Words& words);
/// Cycles that these words take, not rounded.
double busy(const MemoryPort& port, const Words& words);
/// Whole cycles that these words take, as the exact model rounds them.
double cycles(const MemoryPort& port, const Words& words);

}  // namespace tilewright::fusion
