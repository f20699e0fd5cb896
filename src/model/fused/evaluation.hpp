// What a fused mapping costs, down to each tensor at each memory, each leaf and each shared store.
//
// Words are totals over all instances and repeats; energies pJ. Cycles add up: one leaf or one store's traffic at a
// time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::fused {

/// One tensor of the cascade at one memory.
struct TensorCost {
    double reads = 0.0;
    double fills = 0.0;      ///< from outside
    double updates = 0.0;    ///< from inside
    double partial = 0.0;    ///< of all these words, partial sums of another width
    double energy_pj = 0.0;  ///< of these and their addresses

    double words() const { return reads + fills + updates; }
};

struct MemoryCost {
    std::string name;
    std::vector<TensorCost> tensors;  ///< by tensor of the cascade
    double leakage_pj = 0.0;
    double energy_pj = 0.0;  ///< accesses, addresses, leakage (without the link)
    double link_energy_pj = 0.0;
    std::int64_t cycles = 0;      ///< that this memory alone would need, at least those of the compute units
    std::int64_t peak_words = 0;  ///< most that is reserved at once; of the outermost memory only what leaves keep
    int peak_leaf = -1;           ///< node of the leaf at which it is
};

/// All boxes of one leaf.
struct LeafCost {
    int leaf = 0;  ///< node
    std::int64_t calls = 0;
    int sizes = 0;  ///< of boxes, that differ
    std::int64_t operations = 0;
    std::int64_t once_operations = 0;  ///< if no word were made twice
    std::int64_t cycles = 0;
    double energy_pj = 0.0;
};

/// The traffic between one tensor's shared store and the store around it.
struct StoreCost {
    int store = 0;  ///< node
    int tensor = 0;
    double words_in = 0.0;         ///< from the store around it
    double words_out = 0.0;        ///< to it
    double words_corrected = 0.0;  ///< of a sum, read, multiplied and written as the statistics behind it changed
    std::int64_t tile_words = 0;
    bool throughout = false;  ///< reserved for the whole of the loops around it, not from first use to last
    std::int64_t cycles = 0;
    double energy_pj = 0.0;
};

struct Evaluation {
    std::int64_t operations = 0;
    std::int64_t recomputed_operations = 0;  ///< of words that were made before
    std::int64_t correcting_operations = 0;  ///< of sums that were begun with statistics that changed
    std::int64_t cycles = 0;
    double energy_pj = 0.0;
    double compute_energy_pj = 0.0;    ///< with leakage
    std::vector<MemoryCost> memories;  ///< outermost first, as in the architecture
    std::vector<LeafCost> leaves;      ///< in the order in which they run
    std::vector<StoreCost> stores;     ///< those that a tensor has in a store of it; outermost stores have no traffic

    double edp_pj_cycles() const { return energy_pj * static_cast<double>(cycles); }
};

}  // namespace tilewright::fused
