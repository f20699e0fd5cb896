// What a dataflow costs on a two-level machine: the numbers that the analysis and its judge both give.
//
// docs/maestro.md defines them. Words are elements of a tensor; a level's numbers are sums over all its instances.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright::dataflow {

/// Words of an operand that a level's buffer sends to its sub-clusters, in three ways of counting.
struct Sent {
    std::int64_t multicast = 0;  ///< a word that several sub-clusters need at once counts once
    std::int64_t unicast = 0;    ///< ... once for each of them
    std::int64_t array = 0;      ///< words that no sub-cluster held before, idle or not: what forwarding would leave
    std::int64_t first = 0;      ///< multicast words of an evaluation's first step, the most of all
    std::int64_t later = 0;      ///< ... of any other step, the most of all

    bool operator==(const Sent&) const = default;
};

struct LevelCounts {
    std::int64_t steps = 0;
    Sent input;
    Sent filter;
    std::int64_t output_each = 0;      ///< results that leave when they leave after every step
    std::int64_t output_change = 0;    ///< results that leave when the array keeps them while they do not change
    std::int64_t output_most = 0;      ///< results of a single step, the most of all
    std::int64_t bytes_per_cycle = 0;  ///< that the network needs not to hold any step but the first up

    bool operator==(const LevelCounts&) const = default;
};

struct Counts {
    std::vector<LevelCounts> levels;  ///< the top one first
    std::int64_t operations = 0;      ///< multiply-accumulates that are carried out
    std::int64_t runtime_cycles = 0;

    bool operator==(const Counts&) const = default;
};

}  // namespace tilewright::dataflow
