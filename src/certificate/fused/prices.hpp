// What a machine of a DRAM, a buffer and an array charges for words and operations: the only machines of which claims
// about fused mappings are judged.
//
// Own code: nothing of the search is used (docs/certificate.md). Values; thread-safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "arch/architecture.hpp"

namespace tilewright::certificate::fused_proof {

/// Energies in pJ per word, rates in words per cycle (infinity: never binds), of the memory's own words.
struct Port {
    double read_pj = 0.0;
    double fill_pj = 0.0;
    double update_pj = 0.0;
    double reads_per_cycle = 0.0;
    double writes_per_cycle = 0.0;
    double words_per_cycle = 0.0;
    std::int64_t word_bits = 1;
};

/// Words of a memory that a word of another width takes.
struct Share {
    double accesses = 1.0;   ///< several narrow words go by one access, a wide one by several
    double bandwidth = 1.0;  ///< by its bits
};

/// Of a word of so many bits; 0: as many as the memory's.
Share share_of(const Port& port, std::int64_t bits);

struct Prices {
    std::int64_t capacity_bits = 0;  ///< of the buffer
    Port dram;
    Port buffer;
    double operation_pj = 0.0;
    Mesh array;  ///< units along X and Y

    /// Of a word in the buffer, and in a register.
    std::int64_t bits_of(std::int64_t bits) const { return bits > 0 ? bits : buffer.word_bits; }
};

/// Why nothing is proven for such a machine, in words; "" when it is known: three memories, a DRAM without limits, a
/// buffer with one, a free register of one word in every unit; each access of one word, and nothing else costs.
std::string problem_with_machine(const Architecture& machine);

/// Requires problem_with_machine() to be "".
Prices prices_of(const Architecture& machine);

/// Words through one memory.
struct Moved {
    double reads = 0.0;
    double fills = 0.0;
    double updates = 0.0;
};

/// The same by accesses, and by the bandwidth that they take.
struct Both {
    Moved accesses;
    Moved bandwidth;

    void add(double Moved::* kind, double words, const Share& share) {
        accesses.*kind += words * share.accesses;
        bandwidth.*kind += words * share.bandwidth;
    }
};

inline double energy_pj(const Port& port, const Moved& moved) {
    return moved.reads * port.read_pj + moved.fills * port.fill_pj + moved.updates * port.update_pj;
}

/// Whole ones, as the exact model rounds them.
inline double cycles(const Port& port, const Moved& moved) {
    constexpr double kNearlyOne = 1.0 - 1e-12;
    const double writes = moved.fills + moved.updates;
    return std::ceil(kNearlyOne * std::max({moved.reads / port.reads_per_cycle, writes / port.writes_per_cycle,
                                            (moved.reads + writes) / port.words_per_cycle}));
}

/// What is minimised: a sum of both. Neither is negative.
struct Weights {
    double energy = 1.0;
    double cycles = 0.0;

    double value(double energy_pj, double cycle_count) const { return energy * energy_pj + cycles * cycle_count; }
};

}  // namespace tilewright::certificate::fused_proof
