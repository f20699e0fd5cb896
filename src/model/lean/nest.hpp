// One mapping in the lean evaluators' layout, and its counts: neighbours sharing words, arrivals, and hops. The
// searches use them for partial nests.
// Remembered directions of a tile's last move (docs/model.md, windows). Internal to model/.
// A nest spread over more neighbours below an instance than present (docs/model.md, rule 10).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapping/validity.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::lean {

struct NestLoop {
    int dimension;
    double extent;
    double stride;  ///< iterations of the dimension skipped by one step
};

/// At most 52 loops run more than once: their extents multiply to at most 2^53 operations.
inline constexpr int kMaxNestLoops = 63;

/// One mapping, laid out. Only the parts in use are written.
struct Nest {
    std::array<NestLoop, kMaxNestLoops + 1> loops;  ///< temporal ones that run more than once, innermost first
    std::array<double, kMaxNestLoops + 1> around;   ///< trips of the loop and of all loops outside it
    int loop_count;
    std::array<int, kMaxMemories + 1> outside;      ///< first loop outside a memory; last: of all
    std::array<std::uint64_t, kMaxTensors> moving;  ///< bit j: loop j moves the tensor
    std::array<std::array<double, kMaxDimensions>, kMaxMemories + 1> tile;  ///< of a memory; last: of the compute unit
    std::array<std::uint32_t, kMaxMemories> spread;  ///< bit d: a spatial loop over d below the memory
    std::array<double, kMaxMemories + 1> used_x;     ///< instances in use; last: compute units
    std::array<double, kMaxMemories + 1> used_y;
    bool partly;  ///< loops along both axes exceed the extent of some dimension
    std::array<std::array<double, kMaxTensors>, kMaxMemories> words;  ///< of the tiles kept

    double steps() const { return around[0]; }
    double used(int level) const { return used_x[level] * used_y[level]; }
};

/// Sets of neighbours below memory `level` sharing every word of the tensor.
double sharing_groups(const Setup& setup, const TilingPoint& point, const Nest& nest, int level, int tensor);

/// Words sent to one instance of memory `level` over the whole run, for a tile of `tile_words` words.
double words_to_one_instance(const Setup& setup, const Nest& nest, int level, int tensor, double tile_words);

/// Distinct words of a written tensor in the tiles of memory `inner` ever inside one instance of memory `level`;
/// `level` itself: its own.
double distinct_words(const Setup& setup, const TilingPoint& point, const Nest& nest, int level, int inner, int tensor);

/// Those of them ever arriving at one instance from inside (arriving_words of traffic.hpp).
double arriving_words(const Setup& setup, const TilingPoint& point, const Nest& nest, int level, int tensor);

/// Source of tiles arriving at memory `level` from inside: the next keeping memory, or the compute units.
int asking_level(const TilingPoint& point, int level, int tensor);

/// A block of spatial loops for one tensor: the inputs to sharing and places of neighbours.
struct SpreadBlock {
    Mesh grid;
    int loop_count = 0;
    static constexpr std::size_t kMost = 2 * std::size_t{kMaxDimensions};
    std::array<std::int32_t, kMost> extents{};  ///< outermost first
    std::array<double, kMost> moves{};          ///< of the tensor, by one step; 0: shared

    /// Loops are added from the innermost one outwards, and reversed by finish().
    void add(std::int32_t extent, double move) {
        extents[loop_count] = extent;
        moves[loop_count++] = move;
    }
    void finish() {
        std::reverse(extents.begin(), extents.begin() + loop_count);
        std::reverse(moves.begin(), moves.begin() + loop_count);
    }

    bool operator==(const SpreadBlock& other) const {
        return grid == other.grid && loop_count == other.loop_count &&
               std::equal(extents.begin(), extents.begin() + loop_count, other.extents.begin()) &&
               std::equal(moves.begin(), moves.begin() + loop_count, other.moves.begin());
    }
};

/// Groups by multicast factor, with the hops of one word to each group.
std::vector<Deliveries> multicasts_of(const SpreadBlock& block);

/// Cache of multicasts by block. For one thread.
class LinkCache {
   public:
    LinkCache() : entries_(kEntries) {}

    /// Stays valid until the next call.
    const std::vector<Deliveries>& multicasts_of(const SpreadBlock& block);

   private:
    struct Entry {
        SpreadBlock block;
        std::vector<Deliveries> multicasts;  ///< empty: unused
    };
    static constexpr std::size_t kEntries = 1021;
    std::vector<Entry> entries_;
};

/// Energy of one tensor on the links below memory `level`. `words`: accesses of one instance; `sent`: words reaching
/// one inner neighbour, or passing it by. `cache` may be null.
double link_energy_pj(const Setup& setup, const TilingPoint& point, const Nest& nest, int level, int tensor,
                      double words, double sent, LinkCache* cache);

/// Otherwise a move, as one number for all ranks.
inline constexpr std::int64_t kNoDirection = std::numeric_limits<std::int64_t>::min();
/// Clashes with every move.
inline constexpr std::int64_t kOtherDirection = kNoDirection + 1;

/// As in check(), outermost memory first. `nest` has the addressed instances: used_x and used_y, by level, and last of
/// the compute units; none exceeds its mesh.
template <typename Nest>
std::optional<ViolationKind> neighbour_violation(const Setup& setup, const Nest& nest) {
    for (std::size_t l = 0; l < setup.levels.size(); ++l) {
        const Mesh& has = setup.levels[l].fanout;
        if (nest.used_x[l + 1] > nest.used_x[l] * static_cast<double>(has.x)) return ViolationKind::fanout_x;
        if (nest.used_y[l + 1] > nest.used_y[l] * static_cast<double>(has.y)) return ViolationKind::fanout_y;
    }
    return std::nullopt;
}

}  // namespace tilewright::lean
