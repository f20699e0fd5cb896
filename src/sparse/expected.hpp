// What a mapping does on average on a machine that does something about zeros, exactly: expectations over all that the
// tensors may hold. All instances together; ranks are innermost first.
#pragma once

#include <cstdint>
#include <vector>

#include "sparse/costs.hpp"

namespace tilewright::sparse {

/// As Counts, on average.
struct Means {
    double actual = 0.0;
    double gated = 0.0;
    double skipped = 0.0;

    bool operator==(const Means&) const = default;
};

/// One kind of access.
struct ExpectedAccesses {
    double algorithmic = 0.0;         ///< words, were nothing zero
    Means data;                       ///< words
    std::vector<RankWords> metadata;  ///< words of each rank
    double metadata_bits = 0.0;

    bool operator==(const ExpectedAccesses&) const = default;
};

/// One tensor at one memory.
struct ExpectedTensor {
    bool kept = false;
    std::int64_t tile_words = 0;  ///< were nothing zero
    double held_words = 0.0;      ///< of a tile
    std::int64_t most_words = 0;
    std::vector<RankWords> held_metadata;
    std::vector<RankWords> most_metadata;
    double most_metadata_bits = 0.0;
    ExpectedAccesses reads;
    ExpectedAccesses fills;
    ExpectedAccesses updates;
    Means final_updates;  ///< of `updates`, where partial sums have a width of their own: what is final by its loops
    double decompressions = 0.0;
    double compressions = 0.0;

    bool operator==(const ExpectedTensor&) const = default;
};

struct Expected {
    double algorithmic_computes = 0.0;
    Means computes;
    std::vector<std::vector<ExpectedTensor>> memories;  ///< by memory, outermost first, and tensor

    bool operator==(const Expected&) const = default;
};

}  // namespace tilewright::sparse
