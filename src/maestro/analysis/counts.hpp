// Counts of a dataflow on a two-level machine, common to the analysis and its judge.
//
// Defined in docs/maestro.md. Words are tensor elements; a level's numbers are sums over all its instances.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright::dataflow {

/// Words of an operand sent by a level's buffer to its sub-clusters, in three countings.
struct Sent {
    std::int64_t multicast = 0;  ///< once per word and step, however many receivers
    std::int64_t unicast = 0;    ///< once per receiver
    std::int64_t array = 0;      ///< words new to all sub-clusters, idle ones included: the rest after forwarding
    std::int64_t first = 0;      ///< maximum multicast words of a first step
    std::int64_t later = 0;      ///< maximum of any other step

    bool operator==(const Sent&) const = default;
};

struct LevelCounts {
    std::int64_t steps = 0;
    Sent input;
    Sent filter;
    std::int64_t output_each = 0;      ///< results leaving after every step
    std::int64_t output_change = 0;    ///< results leaving if the array keeps stationary ones
    std::int64_t output_most = 0;      ///< maximum of a single step
    std::int64_t bytes_per_cycle = 0;  ///< network bandwidth without stalls after the first step

    bool operator==(const LevelCounts&) const = default;
};

struct Counts {
    std::vector<LevelCounts> levels;  ///< the top one first
    std::int64_t operations = 0;      ///< executed multiply-accumulates
    std::int64_t runtime_cycles = 0;

    bool operator==(const Counts&) const = default;
};

}  // namespace tilewright::dataflow
