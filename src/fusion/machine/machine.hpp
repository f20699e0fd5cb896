// The simplest machines for which fused mappings are searched: a DRAM, a buffer that holds what is shared, and an array
// of units with a register of one word each.
//
// The costs of such a machine are sums over words that are counted directly, so that floors of leaves are mostly
// reached (leaf/array_floor.hpp). Values; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright::fusion {

/// Memories of the architecture, by index.
inline constexpr int kDram = 0;
inline constexpr int kBuffer = 1;
inline constexpr int kRegister = 2;

/// What a word of some width takes of a memory, in words of the memory.
struct WordShare {
    double energy = 1.0;     ///< accesses move as many words as a row has room for
    double bandwidth = 1.0;  ///< bits
};

/// Energies in pJ per word, rates in words per cycle (infinity: never binds), of the memory's own words.
struct MemoryPort {
    double read_pj = 0.0;
    double fill_pj = 0.0;
    double update_pj = 0.0;
    double read_rate = 0.0;
    double write_rate = 0.0;
    double shared_rate = 0.0;
    std::int64_t word_bits = 1;
    std::int64_t row_words = 1;  ///< that one access moves

    /// Of a word of so many bits; 0: as many as the memory's.
    WordShare share_of(std::int64_t bits) const;
    /// Words of the memory by whose energy so many words are accessed: those of a width of their own in whole rows.
    double accessed(double words, std::int64_t bits) const;
};

struct Machine {
    std::int64_t capacity = 0;  ///< of the buffer, in units: the widest of which all words of the cascade are multiples
    std::int64_t unit_bits = 1;  ///< of a unit; the buffer's words where no tensor has a width of its own
    MemoryPort dram;
    MemoryPort buffer;
    double operation_pj = 0.0;
    Mesh array;                   ///< units along X and Y, of machine_of() only
    int buffer_memory = kBuffer;  ///< index of the memory in which shared stores lie

    /// Units of the buffer that a word of so many bits takes; 0: one of the buffer's.
    std::int64_t units_of(std::int64_t bits) const { return (bits > 0 ? bits : buffer.word_bits) / unit_bits; }
};

/// Why the search does not know such a machine, in words; "" when it does: exactly three memories, each access of one
/// word, energies by word alone (no leakage, links or addresses that cost), one DRAM and one buffer, registers of one
/// word that cost nothing and never bind, one for every unit.
std::string problem_with_machine(const Architecture& architecture);

/// Requires problem_with_machine() to be "".
Machine machine_of(const Architecture& architecture);

/// The same machine with the buffer's room in units for the words of this cascade; of more than any tensors have, less.
Machine in_units(Machine machine, const Cascade& cascade);

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

// Partial sums of another width in the search of fused mappings. Pure functions.

/// By operand of an einsum: bits of its partial sums; 0: as many as of final ones, or nothing is summed. `partial`: by
/// tensor of the cascade.
PartialBits sums_of(const Cascade& cascade, int einsum, const PartialBits& partial);

/// in_units(), with units of which partial sums are multiples, too.
Machine in_units(const Machine& machine, const Cascade& cascade, const PartialBits& partial);

/// By tensor of the cascade: bits of its words where a group makes it in the buffer, if no leaf can finish its sums
/// below; 0: some leaf may. Known of units with a register of one word: a sum that the array does not add up at once
/// has no room there.
std::vector<std::int64_t> bits_of_sums(const Cascade& cascade, const Architecture& architecture,
                                       const PartialBits& partial);

// Indices of dimensions, tensors and einsums as those of vectors.

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// A hash of several numbers, for what is remembered by questions.

class NumberHash {
   public:
    explicit NumberHash(std::uint64_t first) : hash_(first) {}

    void add(std::int64_t number) {
        constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
        hash_ = (hash_ ^ static_cast<std::uint64_t>(number)) * kPrime;
        hash_ ^= hash_ >> 29U;
    }
    std::size_t value() const { return hash_; }

   private:
    std::uint64_t hash_;
};

}  // namespace tilewright::fusion
