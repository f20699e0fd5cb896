// What the memories that are still to be placed cost a nest with spatial remainders at least, by the chunks that are
// left to the loops outside. docs/optimal.md.
//
// Any tile that leaves so many chunks of a dimension is taken for the smallest one: it fits best, and how many tiles
// there are says how often the words are sent. So what lies outside a memory is the same for all assignments that agree
// outside it, and is found once.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/numbers/factors.hpp"
#include "mapper/optimal/imperfect/charges.hpp"

namespace tilewright::optimal {

/// Deliveries that wait for a loop outside that moves the tensor.
struct Waiting {
    /// What is asked of the next memory that keeps the tensor is paid for: those on the way add nothing.
    static constexpr std::int8_t kAsked = -2;

    std::array<std::int8_t, kMaxTensors> open{};  ///< the innermost boundary; -1: none, or kAsked
    /// Words along a dimension that neighbours without work in the last step hold, in parts of all, rounded up.
    std::array<std::uint8_t, kMaxDimensions> idle{};

    static constexpr double kIdleParts = 255.0;
    void add_idle(int dimension, double share) {
        idle[dimension] =
            static_cast<std::uint8_t>(std::min(kIdleParts, idle[dimension] + std::ceil(kIdleParts * share)));
    }
    double moving(int dimension) const { return 1.0 - idle[dimension] / kIdleParts; }
};

/// For one thread, and one layer and machine.
class ImperfectCompletionBound {
   public:
    ImperfectCompletionBound(const Mapspace& mapspace, const lean::Setup& setup);

    /// From here on of this assignment.
    /// `passing`: memories are also charged for what others pass on to them. Dearer to find, and seldom less.
    void look_at(const ImperfectCharges& charges, bool passing = false);
    /// Some memory passes on what is asked of it.
    bool has_passing() const { return has_passing_; }

    /// Of all mappings of the assignment, without leakage. Like the others: the least if that is below `limit_pj`,
    /// else at least the limit and no more than the least.
    double all_pj(double limit_pj = std::numeric_limits<double>::infinity());

    /// Deliveries to memories 0 to `level`, where so many chunks are left before the loops of `level`; and what those
    /// that wait cost more than every word sent once.
    double before_loops_pj(int level, const Extents& chunks, const Waiting& waiting, double limit_pj);
    /// Deliveries to memories 0 to `level` - 1, where so many are left outside the store of `level`; likewise.
    double after_store_pj(int level, const Extents& chunks, const Waiting& waiting, double limit_pj);

   private:
    struct Key {
        std::uint64_t chunks = 0;
        std::uint64_t waiting = 0;
        std::array<std::uint8_t, kMaxDimensions> idle{};
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    /// Known so far.
    struct Least {
        double pj = 0.0;
        bool is_exact = false;
    };
    using Table = std::unordered_map<Key, Least, Hash>;
    /// What a table depends on.
    using Signature = std::vector<double>;
    struct SignatureHash {
        std::size_t operator()(const Signature& signature) const;
    };
    static constexpr std::size_t kMostEntries = 1U << 21U;

    /// What arrives at a memory, and what that asks of the next one outside.
    struct Flow {
        double delivered = 0.0;
        double words = 0.0;
    };
    /// One tensor at one memory whatever its tile.
    struct Boundary {
        bool is_one = false;
        bool keeps = false;
        int parent = 0;
        bool parent_keeps = false;
        bool is_alone = false;  ///< no fan-out further out
        bool is_whole = false;  ///< words do not depend on the tiles
        bool by_tiles = false;  ///< but those that are sent do: where words of a tile have gaps
        double words = 0.0;     ///< where they do not
        double still_pj = 0.0;  ///< of accesses while it waits, where words do not depend on the tiles
        /// The outermost of the memories that pass on what is asked here to the next one that keeps the tensor; 0:
        /// none.
        int passed_by = 0;
        double passed_on = 1.0;  ///< of each word that is asked, at least
        double most_sharing = 1.0;
        double distinct = 0.0;         ///< ImperfectCharges::least_distinct()
        double least_pj = 0.0;         ///< of accesses
        double fills_pj = 0.0;         ///< of these, at the memory itself
        double wires_pj = 0.0;         ///< at least
        double most_first_here = 0.0;  ///< first arrivals at most (results)
        double most_first_at_parent = 0.0;
        WordEnergy here;                                 ///< of words that arrive
        WordEnergy there;                                ///< at the parent
        std::array<double, kMaxRanks> distinct_along{};  ///< of each rank, what the instances hold at least

        /// Waiting for a loop makes it dearer.
        bool may_wait() const { return is_one && (is_alone ? keeps || parent_keeps : is_whole && asks_memory()); }
        /// It is known what is asked of the next memory that keeps the tensor.
        bool asks_memory() const { return parent_keeps || passed_by > 0; }
    };
    /// All tiles along one rank of a window.
    struct Sweep {
        double tiles = 1.0;
        double widths = 0.0;  ///< of all tiles
        double kept = 0.0;    ///< at most, by one that moves on
        double all = 0.0;     ///< what the instances hold at least, one after the other
        int movers = 0;       ///< dimensions with temporal loops outside
    };

    Key key(int level, const Extents& chunks, const Waiting& waiting) const;
    double tile(int dimension, double chunks) const;
    double largest_tile(int dimension, double chunks) const;
    void set_boundary(int tensor, int level, bool passing);
    void set_passed_by(int tensor, Boundary& boundary) const;
    void choose_tables();
    void sign_memory(int level);
    void sign_waiting(int level);
    void choose_table(int level, std::size_t outside);
    bool fits(int level, const Extents& chunks) const;
    Extents crossed(int level, const Extents& chunks) const;
    double across_pj(int level, const Extents& chunks, const Extents& largest, Waiting waiting, double limit_pj);
    bool has_loops(int level, const Extents& chunks) const;
    const std::vector<PrimePower>& primes_of(double chunks);
    double least_pj(int level, const Extents& chunks, const Waiting& waiting, double limit_pj);
    double at_the_end_pj(const Extents& chunks, const Waiting& waiting) const;
    double stored_pj(int level, const Extents& chunks, const Extents& largest, Waiting waiting, double limit_pj);
    Extents largest_tiles(const Extents& chunks) const;
    double settle_pj(int level, const Extents& chunks, Waiting& waiting, int dimension, double factor,
                     double limit_pj) const;
    double settle_tensor_pj(int tensor, int level, const Extents& chunks, Waiting& waiting, int dimension,
                            double moving, double limit_pj) const;
    double asked_again(int tensor, int boundary, const Extents& chunks, double moving) const;
    double charged_pj(int tensor, int boundary, const Extents& chunks) const;
    bool is_passed_by(int tensor, int level) const;
    double dearer_pj(int tensor, int boundary, const Extents& chunks, int dimension, double moving) const;
    Flow still(int tensor, int level, const Extents& chunks) const;
    double words_of(int tensor, int level, const Extents& chunks, int first) const;
    Sweep sweep(int tensor, std::size_t rank, int level, const Extents& chunks, const Extents& rest) const;
    double window_words(int tensor, int level, const Extents& chunks, int first) const;
    bool repacks(int level, const Extents& chunks) const;
    double energy_pj(int tensor, int level, const Flow& flow) const;

    const Mapspace& mapspace_;
    const lean::Setup& setup_;
    const ImperfectCharges* charges_ = nullptr;
    Extents roots_{};
    std::unordered_map<double, std::vector<PrimePower>> primes_;  ///< by number of chunks
    std::array<std::unordered_map<Signature, Table, SignatureHash>, kMaxMemories> tables_;
    bool has_passing_ = false;
    Signature signature_;                               ///< of what lies outside the memory at hand
    std::array<Table*, kMaxMemories> table_{};          ///< where something inside waits
    std::array<Table*, kMaxMemories> settled_table_{};  ///< where nothing does: whatever is inside
    std::array<std::size_t, kMaxMemories> entries_{};
    std::array<std::array<Boundary, kMaxTensors>, kMaxMemories> boundaries_{};
    std::array<Extents, kMaxMemories> ways_{};       ///< instances of a memory that work at least, by dimension
    std::array<Extents, kMaxMemories> outspread_{};  ///< factors of all fan-outs outside a memory
    std::array<bool, kMaxMemories> may_repack_{};    ///< some fan-out outside the one next to the memory
    std::array<double, kMaxMemories> floor_pj_{};    ///< deliveries to memories 0 to this one, whatever the tiles
};

}  // namespace tilewright::optimal
