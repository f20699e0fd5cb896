// B8: lower bound of the unplaced memories with spatial remainders, by the chunks left to outer loops.
//
// All tiles with the same chunks of a dimension count as the smallest: it fits best, and the number of tiles decides
// the repetitions. The part outside a memory is therefore equal for all assignments equal there, and computed once.
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

/// Deliveries open until a loop outside moves the tensor.
struct Waiting {
    /// The request to the next keeping memory is paid; memories on the way add nothing.
    static constexpr std::int8_t kAsked = -2;

    std::array<std::int8_t, kMaxTensors> open{};  ///< the innermost boundary; -1: none, or kAsked
    /// Share of words along a dimension held by neighbours idle in the last step, rounded up.
    std::array<std::uint8_t, kMaxDimensions> idle{};

    static constexpr double kIdleParts = 255.0;
    void add_idle(int dimension, double share) {
        idle[dimension] =
            static_cast<std::uint8_t>(std::min(kIdleParts, idle[dimension] + std::ceil(kIdleParts * share)));
    }
    double moving(int dimension) const { return 1.0 - idle[dimension] / kIdleParts; }
};

/// For one thread, layer and machine.
class ImperfectCompletionBound {
   public:
    ImperfectCompletionBound(const Mapspace& mapspace, const lean::Setup& setup);

    /// Switches to this assignment. `passing`: memories also pay for words passed on. Slower, seldom tighter.
    void look_at(const ImperfectCharges& charges, bool passing = false);
    bool has_passing() const { return has_passing_; }

    /// Lower bound of all mappings of the assignment, without leakage. Like the others exact if below `limit_pj`, else
    /// between the limit and the exact value.
    double all_pj(double limit_pj = std::numeric_limits<double>::infinity());

    /// Deliveries to memories 0 to `level` with these chunks left before the loops of `level`, and the additional cost
    /// of open ones over every word once.
    double before_loops_pj(int level, const Extents& chunks, const Waiting& waiting, double limit_pj);
    /// Deliveries to memories 0 to `level` - 1 with these chunks left outside the store of `level`; likewise.
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
    struct Least {
        double pj = 0.0;
        bool is_exact = false;
    };
    using Table = std::unordered_map<Key, Least, Hash>;
    using Signature = std::vector<double>;
    struct SignatureHash {
        std::size_t operator()(const Signature& signature) const;
    };
    static constexpr std::size_t kMostEntries = 1U << 21U;

    /// Arrivals at a memory, and accesses at the next outer one.
    struct Flow {
        double delivered = 0.0;
        double words = 0.0;
    };
    /// One tensor at one memory, for any tile.
    struct Boundary {
        bool is_one = false;
        bool keeps = false;
        int parent = 0;
        bool parent_keeps = false;
        bool is_alone = false;  ///< no fan-out further out
        bool is_whole = false;  ///< words independent of tiles
        bool by_tiles = false;  ///< words in use are, but words sent depend on tiles: those with gaps
        double words = 0.0;     ///< if independent
        double still_pj = 0.0;  ///< of accesses while it is open, if words are independent of tiles
        /// The outermost memory passing on these requests to the next keeping memory; 0: none.
        int passed_by = 0;
        double passed_on = 1.0;  ///< lower bound per requested word
        double most_sharing = 1.0;
        double distinct = 0.0;         ///< ImperfectCharges::least_distinct()
        double least_pj = 0.0;         ///< of accesses
        double fills_pj = 0.0;         ///< its part at the memory itself
        double wires_pj = 0.0;         ///< lower bound
        double most_first_here = 0.0;  ///< upper bound of first arrivals (results)
        double most_first_at_parent = 0.0;
        WordEnergy here;                                 ///< of arriving words
        WordEnergy there;                                ///< at the parent
        std::array<double, kMaxRanks> distinct_along{};  ///< of each rank, lower bound of the words held by instances

        /// An open delivery may become dearer.
        bool may_wait() const { return is_one && (is_alone ? keeps || parent_keeps : is_whole && asks_memory()); }
        /// The request to the next keeping memory is known.
        bool asks_memory() const { return parent_keeps || passed_by > 0; }
    };
    struct Sweep {
        double tiles = 1.0;
        double widths = 0.0;  ///< of all tiles
        double kept = 0.0;    ///< upper bound, for a moving tile
        double all = 0.0;     ///< lower bound of the words held by the instances one after the other
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
    Signature signature_;                               ///< of the part outside the current memory
    std::array<Table*, kMaxMemories> table_{};          ///< with open deliveries inside
    std::array<Table*, kMaxMemories> settled_table_{};  ///< without: for any part inside
    std::array<std::size_t, kMaxMemories> entries_{};
    std::array<std::array<Boundary, kMaxTensors>, kMaxMemories> boundaries_{};
    std::array<Extents, kMaxMemories> ways_{};       ///< lower bound of instances at work, by dimension
    std::array<Extents, kMaxMemories> outspread_{};  ///< factors of all fan-outs outside a memory
    std::array<bool, kMaxMemories> may_repack_{};    ///< some fan-out beyond the next one
    std::array<double, kMaxMemories> floor_pj_{};    ///< deliveries to memories 0 to this one, for any tiles
};

}  // namespace tilewright::optimal
