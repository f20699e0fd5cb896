// Costs of plans on packages: energy by cause, words by sort. Values; thread-safe.
#pragma once

#include <cstdint>

namespace tilewright::multicore {

/// By cause, in pJ.
struct Energy {
    double leaves = 0.0;
    double sends = 0.0;     ///< reads of buffers for words that leave
    double arrivals = 0.0;  ///< writes of buffers
    double sums = 0.0;      ///< of partial sums: reads, writes, operations; their links are below
    double links = 0.0;     ///< within chiplets, and from cores and DRAMs to their routers
    double d2d = 0.0;       ///< links between chiplets
    double dram = 0.0;
    double leakage = 0.0;

    double total() const { return leaves + sends + arrivals + sums + links + d2d + dram + leakage; }
    bool operator==(const Energy&) const = default;
};

void add(Energy& sum, const Energy& one, double times);

/// In words, but for the operations.
struct Counts {
    std::int64_t operations = 0;
    std::int64_t leaf_reads = 0;
    std::int64_t leaf_writes = 0;
    std::int64_t sends = 0;
    std::int64_t arrivals = 0;
    std::int64_t partials = 0;
    std::int64_t dram_reads = 0;
    std::int64_t dram_writes = 0;
    std::int64_t link_words = 0;

    bool operator==(const Counts&) const = default;
};

}  // namespace tilewright::multicore
