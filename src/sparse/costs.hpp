// What a mapping costs on a machine that does something about zeros, beyond what every evaluation has
// (model/evaluation.hpp). Counts are per instance; ranks are outermost first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::sparse {

/// What became of accesses or computes: done, gated (the time passes, the energy is saved), skipped (neither is spent).
/// What is in none of them never came up, because elements that are zero are not stored.
struct Counts {
    std::int64_t actual = 0;
    std::int64_t gated = 0;
    std::int64_t skipped = 0;

    bool operator==(const Counts&) const = default;
};

/// Of one rank of a format.
struct RankCounts {
    Counts metadata;  ///< coordinates, runs, bits
    Counts payload;   ///< what points into the rank below

    bool operator==(const RankCounts&) const = default;
};

/// Room for one rank of a format, words of their own widths.
struct RankWords {
    double metadata = 0.0;
    double payload = 0.0;

    bool operator==(const RankWords&) const = default;
};

/// One kind of access.
struct Accesses {
    std::int64_t algorithmic = 0;  ///< were nothing zero
    Counts data;
    std::vector<RankCounts> metadata;  ///< by rank; empty: no format
    std::int64_t metadata_bits = 0;    ///< that are read or written: actual ones and gated ones
    Counts metadata_rows;              ///< accesses of the metadata's memory

    bool operator==(const Accesses&) const = default;
};

/// One tensor at one memory.
struct TensorCosts {
    bool kept = false;
    std::string density;              ///< name of the model
    std::vector<std::string> format;  ///< of each rank; empty: none
    std::int64_t tile_words = 0;      ///< were nothing zero
    std::int64_t most_words = 0;      ///< of data that the fullest tile holds
    double expected_words = 0.0;      ///< of data that a tile holds on average
    std::vector<RankWords> most_metadata;
    std::vector<RankWords> expected_metadata;
    std::int64_t most_metadata_bits = 0;
    std::int64_t most_instances = 0;
    double instances = 0.0;  ///< on average: those whose tile is empty get none
    Accesses reads;
    Accesses fills;
    Accesses updates;
    std::int64_t decompressions = 0;
    std::int64_t compressions = 0;
    double read_metadata_share = 0.0;  ///< of the words that are read
    double write_metadata_share = 0.0;
    double metadata_share = 0.0;

    bool operator==(const TensorCosts&) const = default;
};

struct MemoryCosts {
    std::string name;
    std::vector<TensorCosts> tensors;  ///< by tensor index

    bool operator==(const MemoryCosts&) const = default;
};

/// What is known of a tensor.
struct TensorDensity {
    std::string model;   ///< "hypergeometric", "2:4", ...
    double share = 1.0;  ///< of its elements, that are not zero
    std::string from;    ///< who says so; "": it is not said, and counts as dense

    bool operator==(const TensorDensity&) const = default;
};

/// What doing something about zeros saves of the energy of a memory's accesses, or of the compute units, pJ over all
/// instances. Spent is dense - left_out - gating - skipping + metadata.
struct Saved {
    double dense_pj = 0.0;     ///< were nothing done about them
    double left_out_pj = 0.0;  ///< what never came up: not stored (compression), or avoided further out
    double gating_pj = 0.0;
    double skipping_pj = 0.0;
    double metadata_pj = 0.0;  ///< spent on what formats add, and on compressing and decompressing

    Saved& operator+=(const Saved& other);
    friend Saved operator*(double times, Saved saved);
    double spent_pj() const { return dense_pj - left_out_pj - gating_pj - skipping_pj + metadata_pj; }
    bool operator==(const Saved&) const = default;
};

/// Of a whole layer, against the same mapping were nothing done about zeros.
struct Savings {
    double dense_energy_pj = 0.0;
    std::int64_t dense_cycles = 0;
    Saved computes;
    std::vector<Saved> memories;  ///< outermost first
    double elsewhere_pj = 0.0;    ///< saved on links, address generation and leakage

    bool operator==(const Savings&) const = default;
};

/// Sums over the compute units and all memories.
Saved total_of(const Savings& savings);

struct Costs {
    std::int64_t algorithmic_computes = 0;
    Counts computes;
    std::vector<MemoryCosts> memories;     ///< outermost first
    std::vector<TensorDensity> densities;  ///< by tensor
    std::optional<Savings> savings = {};   ///< of the exact account

    bool operator==(const Costs&) const = default;
};

}  // namespace tilewright::sparse
