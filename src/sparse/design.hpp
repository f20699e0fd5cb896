// What a machine does about zeros: how tensors are compressed in its memories, which accesses and computes it gates
// (the cycle passes, the energy is saved) or skips (neither is spent), and what the tensors are like.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sparse/density.hpp"

namespace tilewright::sparse {

/// How one rank of a compressed tensor is written.
enum class RankFormat {
    uop,  ///< uncompressed offset pairs: where each fibre below begins
    cp,   ///< coordinates of what is not empty
    rle,  ///< run lengths between what is not empty
    b,    ///< a bit for each place of a fibre, of fibres that are not empty
    ub,   ///< a bit for each place, nothing left out
};

/// "uop", "cp", "rle", "b", "ub"
std::string_view name_of(RankFormat format);

/// Empty places of a rank of this format take no room in the ranks below.
bool compresses(RankFormat format);

struct FormatRank {
    RankFormat format = RankFormat::uop;
    std::int64_t metadata_bits = 0;           ///< of a word of coordinates, runs or bits
    std::int64_t payload_bits = 0;            ///< of a word that points into the rank below
    std::vector<std::vector<int>> flattened;  ///< lists of dimensions whose loops this rank may join

    bool operator==(const FormatRank&) const = default;
};

struct TensorFormat {
    std::vector<FormatRank> ranks;  ///< innermost first; never empty
    bool inner_to_outer = false;    ///< ranks take loops from the inside; else from the outside

    bool operator==(const TensorFormat&) const = default;
    bool is_compressed() const;
};

/// Accesses to `target` are avoided where the elements of the other tensors that they meet are all zero.
struct Option {
    int target = 0;               ///< a tensor
    std::vector<int> conditions;  ///< tensors

    bool operator==(const Option&) const = default;
};

/// Of several options the one that saves most is built.
using OptionGroup = std::vector<Option>;

/// Energies of one access, pJ; what has no price is free.
struct AccessEnergies {
    double read_pj = 0.0;
    double fill_pj = 0.0;
    double update_pj = 0.0;

    bool operator==(const AccessEnergies&) const = default;
};

/// One memory of a machine.
struct MemoryDesign {
    std::vector<std::optional<TensorFormat>> formats;  ///< by tensor
    std::vector<OptionGroup> gating;
    std::vector<OptionGroup> skipping;
    std::vector<OptionGroup> spatial_skipping;
    std::int64_t metadata_word_bits = 0;
    std::int64_t metadata_width_bits = 0;  ///< of one access; 0: metadata is neither charged nor stored
    std::optional<std::int64_t> metadata_depth;
    bool decompresses = false;  ///< what arrives from the memory outside
    bool compresses = false;    ///< what goes there
    AccessEnergies gated;
    AccessEnergies skipped;
    AccessEnergies metadata;
    AccessEnergies gated_metadata;
    AccessEnergies skipped_metadata;
    double decompression_pj = 0.0;  ///< of a word
    double compression_pj = 0.0;

    bool operator==(const MemoryDesign&) const = default;
};

struct Design {
    std::vector<Density> densities;      ///< by tensor
    std::vector<MemoryDesign> memories;  ///< outermost first, as in the architecture
    bool gates_computes = false;
    bool skips_computes = false;
    double gated_compute_pj = 0.0;
    double skipped_compute_pj = 0.0;

    bool operator==(const Design&) const = default;

    /// Some memory or the compute units do something about zeros.
    bool acts() const;
    /// Some memory has a format.
    bool has_formats() const;
};

}  // namespace tilewright::sparse
