// State of Timeloop's sparse analysis: the dense counts, extended by every step (Timeloop,
// sparse-analysis/sparse-analysis.cpp). Storage level 0 is the innermost memory.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "mapping/validity.hpp"
#include "sparse/costs.hpp"
#include "sparse/design.hpp"
#include "sparse/occupancy.hpp"
#include "timeloop/account/totals.hpp"
#include "timeloop/sparse/full_nest.hpp"

namespace tilewright::account {

/// Timeloop exits here. Caught at the start of the analysis.
class SparseRefusal : public std::runtime_error {
   public:
    explicit SparseRefusal(Violation violation)
        : std::runtime_error(violation.message), violation_(std::move(violation)) {}
    const Violation& violation() const { return violation_; }

   private:
    Violation violation_;
};

enum Operation { kRead, kFill, kUpdate };
inline constexpr std::array kOperations{kRead, kFill, kUpdate};
enum Fate { kActual, kGated, kSkipped };
inline constexpr std::array kFates{kActual, kGated, kSkipped};

/// One rank of a format: its metadata and the pointers into the rank below.
struct Units {
    double metadata = 0.0;
    double payload = 0.0;
};
using RankUnits = std::vector<Units>;  ///< innermost first

/// One rank of a format over its loops.
struct FibreRank {
    std::int64_t fibre = 1;  ///< places in a fibre
    sparse::Tile below;      ///< the tile of one place
    bool trivial = false;    ///< without metadata
};

/// Loops of one rank: dimension and bound, outermost first if several.
using RankLoops = std::vector<std::pair<int, std::int64_t>>;

struct SparseTensor {
    StorageTraffic dense;
    int parent = -1;  ///< the next outer storage level keeping the tensor
    int child = -1;   ///< the next inner one; -1: the compute units
    const sparse::TensorFormat* format = nullptr;
    bool compressed = false;
    sparse::Tile tile;
    std::vector<RankLoops> rank_loops;      ///< innermost rank first; one rank without a format
    std::vector<sparse::Tile> rank_tiles;   ///< below each rank
    std::vector<FibreRank> ranks;           ///< of a format
    std::vector<sparse::Outcome> outcomes;  ///< tile occupancies, before empty tiles are left out
    double density = 1.0;
    double expected_words = 0.0;
    RankUnits expected_units;
    double instances = 1.0;  ///< on average
    Mesh expansion;
    std::array<std::array<std::int64_t, 3>, 3> data{};   ///< by fate, by operation
    std::array<std::array<RankUnits, 3>, 3> metadata{};  ///< by fate, by operation
    std::array<RankUnits, 3> metadata_before{};          ///< by operation: before savings
    std::int64_t reductions = 0;
    std::int64_t compressions = 0;
    std::int64_t decompressions = 0;

    bool kept() const { return dense.tile_words > 0; }
    bool has_metadata() const { return format != nullptr; }
    std::int64_t dense_words(Operation operation) const {
        return operation == kRead ? dense.reads : operation == kFill ? dense.fills : dense.updates;
    }
};

/// A storage level's savings on a tensor.
struct Avoided {
    bool gates = false;
    bool skips = false;
    double share = 0.0;  ///< of the reads
    bool spatially = false;
    double spatial_share = 0.0;

    bool any() const { return gates || skips || spatially; }
};

struct SparseCompute {
    std::int64_t algorithmic = 0;
    sparse::Counts counts;
    double instances = 1.0;  ///< on average
    Mesh expansion;
};

struct SparseState {
    const Einsum& einsum;
    const Architecture& architecture;
    const sparse::Design& design;
    const Nest& nest;
    double computes = 0.0;     ///< requested in all instances; initially the dense ones
    double replication = 1.0;  ///< of compute units
    FullNest loops;
    std::vector<std::unique_ptr<sparse::Occupancy>> occupancy;  ///< by tensor
    std::vector<std::vector<SparseTensor>> tensors;             ///< by tensor, by storage level
    std::vector<std::vector<Avoided>> avoided;                  ///< likewise
    /// By tensor: the share of computes avoided with its reads on the way to the compute units.
    std::vector<std::optional<double>> inherited;
    SparseCompute compute;

    int storages() const { return architecture.memory_count(); }
    int tensor_count() const { return einsum.tensor_count(); }
    const Memory& memory(int storage) const { return architecture.memories[storages() - 1 - storage]; }
    const sparse::MemoryDesign& built(int storage) const { return design.memories[storages() - 1 - storage]; }
    bool is_relevant(int tensor, int dimension) const {
        return tilewright::is_relevant(einsum.tensors[tensor], dimension);
    }
    sparse::Tile tile(int tensor, const Extents& box) const { return tile_of(einsum.tensors[tensor], box); }
    /// Iterations of the loops inside loop `index` of a storage level.
    Extents box_inside(int storage, int index) const;
    Extents one() const { return Extents(einsum.dimensions.size(), 1); }
    [[noreturn]] void refuse(int storage, const std::string& message) const;
};

/// value / divisor as C++ divides doubles.
double quotient(double value, double divisor);

/// `value` truncated, as Timeloop stores it. Throws SparseRefusal for an impossible count.
std::int64_t counted(double value);

/// Whether formats of neighbouring levels match (section by section, checked by Timeloop before counting).
std::optional<Violation> format_refusal(const SparseState& state);

// The steps, in this order. Each throws SparseRefusal where Timeloop exits.

/// Loops covered by each rank of each format.
void assign_ranks(SparseState& state);
/// Expected tile occupancy and metadata accesses.
void expect_occupancy(SparseState& state);
/// Savings of every gating and skipping option.
void choose_avoided(SparseState& state);
/// Spatial skipping: fewer instances in use.
void skip_instances(SparseState& state);
void combine(SparseState& state);
void count_computes(SparseState& state);

RankUnits units_of(const SparseState& state, int tensor, const SparseTensor& level, std::int64_t occupied);

}  // namespace tilewright::account
