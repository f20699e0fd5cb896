// Prices of labels with perfect factors, settled and open. sliding.cpp: overlapping tiles; dominance.cpp: dominance.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mapper/optimal/bounds/bound.hpp"
#include "mapper/optimal/bounds/tile_table.hpp"
#include "mapper/optimal/engine/label_setting.hpp"
#include "mapper/optimal/engine/words_moved.hpp"
#include "mapper/optimal/geometry/charges.hpp"
#include "mapper/optimal/geometry/first_words.hpp"
#include "mapper/optimal/geometry/lattice.hpp"
#include "mapper/optimal/geometry/layouts.hpp"
#include "mapper/optimal/geometry/stages.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

class PerfectDelivery {
   public:
    /// Words of an overlapping tensor sent to one memory, as far as the loops so far decide.
    struct SlidingDelivery {
        std::int8_t tensor = 0;
        std::int8_t level = 0;
        bool moved = false;  ///< some loop outside the memory moves the tile
        bool settled = false;
        std::int32_t stored_at = 0;  ///< the lattice point of its tile
        SlidingTile tile;            ///< once moved
        double sent = 0.0;           ///< if every outer advance sends the whole tile
        double groups = 1.0;
        double hop_pj = 0.0;
        double pj = 0.0;        ///< upper bound, if settled now; infinite while groups are unknown
        double least_pj = 0.0;  ///< for any later loops

        /// Any later loops save the same words of both.
        bool moves_like(const SlidingDelivery& other) const {
            return tensor == other.tensor && level == other.level && moved == other.moved && settled == other.settled &&
                   tile.moves_like(other.tile) && groups == other.groups && hop_pj == other.hop_pj;
        }
    };

    struct Label : LabelBase {
        std::int32_t first_sliding = 0;  ///< index
        std::int32_t words = 0;          ///< index of the words moved, if timed
        std::int32_t used = -1;          ///< index of the words in use by memory, if some memory is begun
        bool owns_words = false;         ///< otherwise they are the parent's
        std::uint8_t tensors = 0;        ///< of its store
        std::int8_t turn = 0;            ///< position in the order of its memory's loops, if stages share a memory
        std::int8_t sliding_count = 0;
    };

    struct Entry {
        double least_pj = 0.0;  ///< lower bound, without deliveries to memories not placed
        std::int32_t label = 0;
    };

    using Node = int;

    /// Buckets by point; empty if no label arrived.
    struct Frontier {
        std::vector<std::vector<Entry>> buckets;

        bool empty() const { return buckets.empty(); }
        std::vector<Entry>& bucket(int point) { return buckets[point]; }
        /// Loops lead to larger points only. visit(point) returns false to end.
        template <typename Visit>
        void visit_outwards(const Visit& visit) {
            const int size = static_cast<int>(buckets.size());
            for (int point = 0; point < size && visit(point);) ++point;
        }
        template <typename Visit>
        void visit(const Visit& visit) {
            for (int point = 0; point < static_cast<int>(buckets.size()); ++point) visit(point);
        }
    };

    PerfectDelivery(const Mapspace& mapspace, const TileTable& tiles, const Stages& stages, bool timed);

    /// Sets the limits of labels. Keeps references to both.
    void look_for(const Pruned& pruned, const CompletionBound& completion) {
        pruned_ = &pruned;
        completion_ = &completion;
    }

    // Interface for label setting (engine/label_setting.hpp).

    std::vector<Label>& labels() { return labels_; }
    const std::vector<Label>& labels() const { return labels_; }
    const TilingPoint& assignment() const { return charges_.assignment(); }
    int dimension_count() const { return charges_.dimension_count(); }
    std::size_t stage_count() const { return stages_.all().size(); }
    int owner(std::size_t stage) const { return stages_.all()[stage].owner; }
    const std::vector<Placing>& transitions(std::size_t stage) const { return stages_.all()[stage].next; }
    void enter(std::size_t stage);
    Node start(Frontier& frontier, Label& label);
    std::uint32_t group(int level, std::uint32_t dimensions, std::uint32_t to_come);
    bool may_extend(const Label& label) const { return label.turn <= turn_; }
    template <typename Visit>
    void visit_extensions(int level, Frontier& frontier, int point, std::uint32_t dimensions, const Visit& visit) const;
    bool admits(const Extension<Node>& extension, const Label& label) const { return fits(extension.to, label); }
    Node extend(Label& label, int point, const Extension<Node>& extension);
    bool slides_along(const Label& label, int dimension) const;
    void take(const Placing& placing, Frontier& outside);
    std::optional<Node> leads_to(const Placing& placing, int point, Frontier& outside);
    bool may_pass(const Placing& placing, const Label& label) const;
    bool pass(const Placing& placing, int point, int to, Label& label);
    std::optional<Entry> estimate(int point, const Label& label) const;
    bool dominates(int point, const Entry& a, const Entry& b) {
        constexpr double kRounding = 1.0 + 1e-12;  // of sums
        const Label& ours = labels_[a.label];
        if (ours.energy.hi > b.least_pj * kRounding) return false;  // with settled cost alone
        return dominates(point, ours, labels_[b.label]);
    }
    void drop(const Label& label);

    double cycles_of(const Label& label) const;

   private:
    static constexpr std::int8_t kSettled = LabelBase::kSettled;

    struct Pending {
        double ours_pj = 0.0;    ///< upper bound
        double theirs_pj = 0.0;  ///< lower bound
    };

    void look_at_tensors();
    bool is_bounded(int level, int dimension) const { return (bounded_[level] >> dimension & 1U) != 0; }
    bool take_room(const Placing& placing, Label& label);
    void open(int point, Label& label);
    void cross(int level, int point);
    void finish(Label& label);
    void find_fitting(const Stage& stage);
    bool fits(int point, const Label& label) const;
    double room_for(int point, int level) const;
    bool rest_is_free(int point, const Label& label) const;
    bool may_replace(const Label& a, const Label& b) const;
    bool dominates(int point, const Label& a, const Label& b);
    double least_pj(int point, const Label& label) const;

    Extents tile(int level, int point) const;
    double open_pj(int point, int tensor, int from);
    void add_open_words(int point, int tensor, int level, std::span<double> moved) const;
    const FirstWordsRange& first_words(const SlidingDelivery& sliding);
    void add_words(Label& label, int tensor, int level, double sent, const FirstWordsRange& first, double groups);
    void add_doubt(const SlidingDelivery& ours, const SlidingDelivery& theirs, Pending& pending);
    void settle_open(Label& label, int point, int tensor);
    void settle(Label& label, const SlidingDelivery& sliding, int point);
    double sent(const SlidingDelivery& sliding, int point) const;
    bool is_crossed(const SlidingDelivery& sliding) const;
    double cost_pj(const SlidingDelivery& sliding, double words, const FirstWords& first) const;
    void price(SlidingDelivery& sliding, int point);
    void move(SlidingDelivery& sliding, int point, int dimension, double factor, int to) const;
    void keep_sliding(Label& label, int point, std::vector<SlidingDelivery>& all);
    Pending compare_pending(int point, const Label& a, const Label& b);
    void compare_open(int point, const Label& a, const Label& b, Pending& pending);
    static bool is_under_way(const SlidingDelivery& sliding) { return sliding.moved && !sliding.settled; }
    std::span<const SlidingDelivery> sliding_of(const Label& label) const {
        return std::span(sliding_).subspan(static_cast<std::size_t>(label.first_sliding),
                                           static_cast<std::size_t>(label.sliding_count));
    }
    void move_again(const Label& label) {
        const auto mine = sliding_of(label);
        moved_.assign(mine.begin(), mine.end());
    }
    double least_sent(const SlidingDelivery& sliding, int point) const;
    std::size_t words_per_label() const { return static_cast<std::size_t>(is_doubtful_ ? 2 : 1) * word_count_; }
    double* own_words(Label& label);
    void fold(int level, Label& label);

    const Mapspace& mapspace_;
    const TileTable& tiles_;
    const Charges& charges_;
    const lean::Setup& setup_;
    const Lattice& lattice_;
    const Stages& stages_;
    std::size_t word_count_;    ///< of a row; 0: not timed
    bool is_doubtful_ = false;  ///< a label's words are followed by their upper bounds
    std::array<bool, kMaxTensors> settles_early_{};
    std::array<std::uint32_t, kMaxMemories> bounded_{};  ///< bit d: the dimension's factor is bounded there
    std::vector<Label> labels_;
    std::vector<SlidingDelivery> sliding_;
    std::vector<double> words_;
    std::vector<double> used_;
    const Pruned* pruned_ = nullptr;
    const CompletionBound* completion_ = nullptr;
    const Stage* from_ = nullptr;   ///< of the labels walked
    const Stage* stage_ = nullptr;  ///< target of the labels: the same, or the next one
    std::size_t stage_number_ = 0;  ///< for the completion bound
    std::vector<char> fits_;        ///< by point: its tiles fit the next memories
    int turn_ = 0;                  ///< of the current loops, as in Label; 0 in even stages
    int next_turn_ = 0;
    std::uint32_t loops_to_come_ = 0;     ///< dimensions with possible later loops in this block
    double room_ = 0.0;                   ///< of the tensors to store at the current node
    std::vector<SlidingDelivery> moved_;  ///< scratch
    /// By point, tensor and memory: of results with overlapping tiles.
    std::vector<std::optional<FirstWordsRange>> first_words_;
    std::vector<double> pending_words_;  ///< of compare_pending(): upper bounds of `a`
};

// Single primes, or whole bounded factors.
template <typename Visit>
void PerfectDelivery::visit_extensions(int level, Frontier&, int point, std::uint32_t dimensions,
                                       const Visit& visit) const {
    for (const Axis& axis : lattice_.axes()) {
        if ((dimensions & ~bounded_[level]) >> axis.dimension & 1U)
            if (lattice_.exponent(point, axis) < axis.most)
                visit(Extension<Node>{axis.dimension, axis.prime, false, point + axis.stride});
    }
    for (std::uint32_t left = dimensions & bounded_[level]; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        const FactorBounds& bounds = mapspace_.temporal_bounds(level, d);
        const auto most = std::min(bounds.at_most, static_cast<std::int64_t>(charges_.rest()[d]));
        for (std::int64_t factor = std::max<std::int64_t>(2, bounds.at_least); factor <= most; ++factor)
            if (const int to = lattice_.after(point, d, factor); to >= 0)
                visit(Extension<Node>{d, static_cast<std::int32_t>(factor), true, to});
    }
}

}  // namespace tilewright::optimal
