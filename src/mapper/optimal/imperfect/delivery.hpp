// Prices of labels with spatial remainders, settled and open: as perfect/delivery.hpp, with ranges. flows.cpp:
// deliveries; windows.cpp: overlapping tiles; closing.cpp: repacking blocks; label_wires.cpp: wires; dominance.cpp:
// dominance.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mapper/optimal/engine/label_setting.hpp"
#include "mapper/optimal/engine/words_moved.hpp"
#include "mapper/optimal/geometry/layouts.hpp"
#include "mapper/optimal/geometry/travel.hpp"
#include "mapper/optimal/imperfect/charges.hpp"
#include "mapper/optimal/imperfect/completion_bound.hpp"

namespace tilewright::optimal {

/// Limits for nests; tightened by mappings found.
struct Pruning {
    Pruned pruned;
    /// Energy from which every nest of at least so many cycles is pruned; infinite if unknown.
    std::function<double(double cycles)> limit_pj;
};

struct ImperfectMode {
    bool timed = false;  ///< tell cycles of throttled memories apart
    /// Compares labels by lower ends: the result is a bound, and nests close to it.
    bool relaxed = false;
    std::size_t most_labels = 1U << 19U;
    /// The cheapest labels kept at every node: the result is good nests without a bound.
    std::size_t most_per_place = LabelLimits::kAll;
};

class ImperfectDelivery {
   public:
    struct Least {
        double energy_pj = 0.0;
        double cycles = 0.0;
    };

    struct Label : LabelBase {
        std::int32_t pending = 0;  ///< index of the first one
        std::int32_t words = -1;   ///< index of the words moved, if timed
        std::int8_t pending_count = 0;
        std::array<std::int8_t, kMaxDimensions> since;
        std::array<std::uint16_t, kMaxMemories> imperfect;  ///< by fan-out: dimensions with a remainder there
        std::array<std::int16_t, kMaxMemories> repacking;   ///< by fan-out: index of its repacking; -1: none
        std::array<float, kMaxMemories> changes;            ///< by fan-out: number of changes of neighbours' places
    };

    /// A label with numbers for a fast rejection of dominance.
    struct Entry {
        double least_pj = 0.0;
        double most_pj = 0.0;  ///< settled
        Range moved;           ///< all words at all memories
        std::int32_t label = 0;
    };

    /// The tiles of all dimensions as a number: more loops have a larger one.
    using Key = std::uint64_t;
    struct TileNode {
        Key key = 0;
        std::array<std::int16_t, kMaxDimensions> tiles;
        Position at;
        double least_cycles = 1.0;
        bool fits = true;
        bool fills = true;
        std::vector<Entry> entries;  ///< by cost
    };
    using Node = TileNode*;

    struct Frontier {
        std::unordered_map<Key, TileNode> nodes;
        std::vector<Key> fresh;  ///< heap of nodes to visit

        bool empty() const { return nodes.empty(); }
        static std::vector<Entry>& bucket(const Node& node) { return node->entries; }
        void add_fresh(Key key) {
            fresh.push_back(key);
            std::push_heap(fresh.begin(), fresh.end(), std::greater<>());
        }
        /// Larger nodes may be added meanwhile. visit(node) returns false to end.
        template <typename Visit>
        void visit_outwards(const Visit& visit) {
            fresh.clear();
            for (const auto& [key, node] : nodes) fresh.push_back(key);
            std::make_heap(fresh.begin(), fresh.end(), std::greater<>());
            for (bool goes_on = true; goes_on && !fresh.empty();) {
                const Key key = fresh.front();
                std::pop_heap(fresh.begin(), fresh.end(), std::greater<>());
                fresh.pop_back();
                goes_on = visit(&nodes.at(key));
            }
        }
        template <typename Visit>
        void visit(const Visit& visit) {
            for (auto& [key, node] : nodes) visit(&node);
        }
        std::optional<TileNode*> only();
        void remove(TileNode* node) { nodes.erase(Key{node->key}); }
    };

    /// Crosses the fan-out below a memory, or stores its tensors.
    struct Transition {
        std::size_t to = 0;
        int level = 0;
        bool crosses = false;
    };

    ImperfectDelivery(const Mapspace& mapspace, const ImperfectCharges& charges,
                      ImperfectCompletionBound& completion_bound, ImperfectMode mode);

    /// Sets the limits of labels. Keeps a reference.
    void prune_by(const Pruning& pruning) { pruning_ = &pruning; }

    // Interface of engine/label_setting.hpp. Stages: compute units; loops and store of each memory, innermost first.

    std::vector<Label>& labels() { return labels_; }
    const std::vector<Label>& labels() const { return labels_; }
    const TilingPoint& assignment() const { return charges_.assignment(); }
    int dimension_count() const { return charges_.dimension_count(); }
    std::size_t stage_count() const { return 2 * static_cast<std::size_t>(charges_.level_count()) + 1; }
    void enter(std::size_t) {}
    int owner(std::size_t stage) const { return stage % 2 == 1 ? memory_of(stage) : -1; }
    std::array<Transition, 1> transitions(std::size_t stage) const {
        return {{{stage + 1, memory_of(stage), stage % 2 == 0}}};
    }
    Node start(Frontier& frontier, Label& label);
    static std::uint32_t group(int, std::uint32_t dimensions, std::uint32_t) { return dimensions; }
    static bool may_extend(const Label&) { return true; }
    template <typename Visit>
    void visit_extensions(int level, Frontier& frontier, const Node& node, std::uint32_t dimensions,
                          const Visit& visit) const;
    static bool admits(const Extension<Node>& extension, const Label&) { return extension.to->fits; }
    Node extend(Label& label, const Node& node, const Extension<Node>& extension);
    bool slides_along(const Label& label, int dimension) const;
    void take(const Transition& transition, Frontier& outside);
    std::optional<Node> leads_to(const Transition& transition, const Node& node, Frontier& outside);
    bool may_pass(const Transition& transition, const Label& label) const;
    bool pass(const Transition& transition, const Node& node, const Node& to, Label& label);
    std::optional<Entry> estimate(const Node& node, const Label& label);
    bool dominates(const Node& node, const Entry& a, const Entry& b);
    void drop(const Label&) {}

    /// A lower bound.
    double cycles_of(const Label& label, const TileNode& node) const;
    Range cycles_at(const Label& label, const TileNode& node) const;

   private:
    static constexpr std::int8_t kSettled = LabelBase::kSettled;
    static constexpr std::int8_t kUnknown = -2;

    /// Words over a boundary: arriving copies, and accesses outside.
    struct Flow {
        Range delivered;
        Range words;
        Range wire_pj;                     ///< of words on the way
        bool moves_those_who_ask = false;  ///< the loop moving this tile is the first to move the requesters' tiles
    };

    /// A block with neighbours at other places in its shorter steps (docs/model.md, rule 7). Loops outside the one with
    /// a remainder tell neighbours apart: a neighbour finds its old words if it is number `k` of those loops in both
    /// kinds of step, possible for small k only.
    struct Repacking {
        int dimension = -1;         ///< the loop with a remainder; -1: several
        double neighbours = 1.0;    ///< along it, in the shorter step
        std::uint32_t outside = 0;  ///< dimensions of the loops outside it
        double meets = 1.0;         ///< upper bound of their share of all indices
        double jumps = 1.0;         ///< the same without number 0

        bool operator==(const Repacking&) const = default;
    };

    /// Open deliveries of one tensor, innermost first.
    struct Pending {
        std::int8_t tensor = 0;
        std::int8_t level = 0;
        bool is_chain = false;    ///< flow.words are requests of inner memories on their way to the next one
        bool settled = false;     ///< otherwise a window that may slide on
        double share = 1.0;       ///< of the instances able to save
        std::uint32_t idled = 0;  ///< their idle dimensions: no other dimension's loop has moved them
        SlidingTile tile;
        double distinct = 0.0;
        std::int8_t dimension = 0;  ///< of the innermost moving loop
        bool mixed = false;         ///< others of `along` have moved it, too
        double jumps = 0.0;         ///< share of instances that may take others' places
        bool shorter = false;       ///< the last tile of some dimension
        Travel travel;              ///< along the first moved rank
        bool repacks = false;       ///< some may find less than others
        Flow flow;

        bool moves_together() const { return travel.is_steady() && !shorter && jumps == 0.0; }
        bool is_steady() const { return moves_together() && share == 1.0 && !repacks; }
        bool moves_like(const Pending& other) const {
            return tensor == other.tensor && level == other.level && is_chain == other.is_chain &&
                   settled == other.settled && share == other.share && idled == other.idled &&
                   tile.moves_like(other.tile) && distinct == other.distinct && dimension == other.dimension &&
                   mixed == other.mixed && jumps == other.jumps && repacks == other.repacks &&
                   shorter == other.shorter && travel == other.travel &&
                   flow.moves_those_who_ask == other.flow.moves_those_who_ask;
        }
    };

    struct Saving {
        double on_average = 0.0;
        double most = 0.0;
    };

    /// Sum of charges: of a label, or of a comparison.
    struct Account {
        Range energy;
        /// If timed: reads and writes per memory, lower bounds if unsettled. First: certain cycles.
        std::vector<Range> words;
    };
    /// Costs of one tensor still open in two labels.
    struct Walk {
        Range asked;
        bool asks = false;  ///< `asked` has not reached the next memory yet
    };
    /// Upper bound of one tensor's cost if all deliveries open outside memory `common` are settled now.
    struct Due {
        int common = kUnknown;
        Account account;
        Walk walk;
    };
    /// Cached results of comparisons with a label, by tensor.
    struct Memo {
        std::array<std::int32_t, kMaxTensors> due;  ///< index; -1: none
        std::array<std::int8_t, kMaxTensors> outside;
        std::array<double, kMaxTensors> least_pj;  ///< of deliveries open inside memory `outside`

        Memo() {
            due.fill(-1);
            outside.fill(kUnknown);
        }
    };

    int memory_of(std::size_t stage) const { return charges_.level_count() - 1 - static_cast<int>(stage / 2); }
    std::optional<Node> across(int level, const TileNode& node, Frontier& outside);
    void finish(Label& label, const TileNode& node);
    TileNode& node_at(Frontier& frontier, Key key, int level) const;
    void lay_out(TileNode& node, int level) const;
    double completion_pj(const Label& label, const TileNode& node, double limit_pj);
    Key key_with(Key key, int dimension, int from, int to) const {
        return key + strides_[dimension] * static_cast<Key>(to - from);
    }
    /// The loops of memory `level`, or those outside, can cover the rest.
    static bool leads_on(const ImperfectTiles& tiles, int level, int tile) {
        constexpr double kNever = 1e299;
        return tiles.least_steps(level, tile) < kNever || tiles.least_steps_outside(level, tile) < kNever;
    }
    static Position position(const TileNode& node, const Label& label);

    void load(const Label& label, Account& account);
    void save(const Account& account, Label& label);
    std::vector<Pending> pending_of(const Label& label) const;
    void advance(Label& label, const TileNode& node, int dimension, double factor, const Position& after);
    void allow_for_moves(const Label& label, Pending& window, const Position& at) const;
    Saving kept(const Pending& window, const Travel::Kept& late, double along, double regular) const;
    Travel::Pairs pairs_of(const Pending& window, const Position& at) const;
    double kept_across(const Pending& window, const Position& at, int dimension) const;
    double moves_at_once(const Label& label, const Pending& window, int level, const Position& at) const;
    double may_jump(const Label& label, const Pending& window, int dimension) const;
    double stray_share(int dimension, int boundary, const Position& at) const;
    void slide(const Label& label, Pending& window, const Position& at, const Position& after, int dimension,
               double factor) const;
    Pending begin(const Label& label, int tensor, int boundary, const Position& at, const Position& after,
                  int dimension, double factor) const;
    void set_off(Pending& window, const Position& at, int dimension, double factor) const;
    void travel_on(Pending& window, const Position& at, int dimension, double factor) const;
    void idle_through(Pending& window, int dimension, const Position& at, const Position& after) const;
    void resume(const Label& label, Pending& window, const Position& at, const Position& after, int dimension,
                double factor) const;
    void save(const Label& label, Pending& window, const Position& at, const Position& after,
              const Saving& saving) const;
    void settle_ready(Label& label, const Position& at, std::vector<Pending>& pending);
    int asking(int tensor, int boundary) const;
    bool may_resume(const Label& label, int tensor, int memory) const;
    Range passed_on(int tensor, int boundary, const Flow& flow, const Range& asked, const Label& label,
                    const Position& at) const;
    void pass(int tensor, int boundary, const Flow& flow, double distinct, const Label& label, const Position& at,
              Walk& walk, Account& account) const;
    void arrive(int tensor, int memory, const Label& label, const Position& at, Walk& walk, Account& account) const;
    Range first_words(int tensor, int memory, const Range& distinct, const Label& label, const Position& at) const;
    void charge(int tensor, int level, bool fills, const AllAccesses& accesses, const Position& at,
                Account& account) const;
    double most_kept_across(const Pending& window, const Position& at, std::uint32_t dimensions) const;
    Saving still_to_save(const Pending& window, const Position& at) const;
    double rank_shift(const Pending& window, int dimension, const Position& at) const;
    Flow whole_flow(const Label& label, int tensor, int boundary, const Position& at, double& distinct) const;
    double actives(int tensor, int boundary, bool shared, const Position& at, std::uint32_t dimensions) const;
    double idle(int dimension, int boundary, const Position& at) const;
    /// Steps with tiles of one size for some indices of a block's loop.
    struct Turn {
        double times = 1.0;
        BlockIndices indices;
        double tile = 1.0;
    };
    struct Turns {
        std::array<Turn, 3> items;
        int count = 0;

        void push(const Turn& turn) { items[count++] = turn; }
    };
    Turns turns(int tensor, int boundary, const Position& at, const Extents& tile, int dimension) const;
    double hops(const Label& label, int tensor, int boundary, const Position& at, bool whole) const;
    double wire_pj(const Label& label, int tensor, int boundary, const Position& at, bool whole) const;
    /// By words sent; otherwise passing_wires().
    bool pays_wires(int tensor, int boundary) const {
        return charges_.keeps(tensor, boundary) && charges_.wires().cost(boundary - 1);
    }
    bool asks_evenly(const Label& label, int fanout) const;
    Range passing_wires(int tensor, int boundary, const Range& asked, const Label& label) const;
    Range whole_wires(const Label& label, int tensor, int boundary, const Position& at) const;
    void save_wires(const Label& label, Pending& window, const Position& at, const Position& after,
                    const Saving& saving) const;
    void allow_for_more(const Label& label, Flow& flow, int tensor, int boundary, const Position& at) const;
    bool stays(const Label& label, int tensor, int boundary) const;
    bool repacks(const Label& label, int tensor, int boundary, bool idles) const;
    bool repacks(const Label& label, int level, std::uint32_t& imperfect, std::uint32_t& outside) const;
    bool repacks(int level, std::uint32_t leaves, std::uint32_t& imperfect, std::uint32_t& outside) const;
    std::int16_t repacking_at(int level, const Position& inside, std::uint32_t leaves);
    double meeting(const Label& label, int tensor, int level) const;
    void change_places(Label& label, int level, int dimension, double factor) const;
    double jumping(const Label& label, int tensor, int level) const;
    double sent_again(const Label& label, int tensor, int boundary, bool shared, const Position& at) const;
    bool may_cost_more_later(const Label& label, int tensor, int boundary, const Position& at) const;
    double moved_copies(const Label& label, int tensor, int boundary) const;
    std::uint32_t block(int level) const;
    Extents held(int boundary, const Position& at) const;

    /// For any later loops, without memories not placed yet.
    Least least_of(const Label& label, const TileNode& node);
    double least_pending(const Label& label, int tensor, int outside, const Position& at, Account& account) const;
    double least_of(const Label& label, const Pending& window, const Position& at, Walk& walk, Account& account) const;
    bool moves_no_more(const Label& a, const Label& b) const;
    bool dominates(const TileNode& node, std::int32_t ours, std::int32_t theirs, double least_pj);
    void forget();
    void forget(std::int32_t label);
    Memo& memo(std::int32_t label) { return memos_[static_cast<std::size_t>(label) - remembered_from_]; }
    const Due& due(const Position& at, std::int32_t label, int tensor, int common);
    double open_pj(const Position& at, std::int32_t label, int tensor, int outside);
    Entry entry_of(const Label& label, double least_pj) const;
    bool passes_irregularly(const Label& a, int tensor) const;
    bool compare(const Position& at, std::int32_t ours, std::int32_t theirs, int tensor);
    bool may_replace(const Label& a, const Label& b) const;
    bool covers(const Label& a, const Label& b, int tensor) const;
    bool meets_alike(const Label& a, const Label& b, int boundary, bool equal) const;
    double upper(const Range& range) const { return mode_.relaxed ? range.lo : range.hi; }
    void fold(int level, Label& label);

    const Mapspace& mapspace_;
    const ImperfectCharges& charges_;
    ImperfectCompletionBound& completion_bound_;
    const lean::Setup& setup_;
    ImperfectMode mode_;
    std::array<Key, kMaxDimensions> strides_{};
    std::vector<Label> labels_;
    std::vector<Repacking> repackings_;
    std::vector<Pending> pending_;
    std::vector<Range> words_;
    const Pruning* pruning_ = nullptr;
    int stored_ = 0;
    int crossed_ = 0;
    std::uint32_t missing_ = 0;    ///< dimensions that need a loop at the memory before its store
    std::uint32_t leaves_ = 0;     ///< dimensions with a remainder at the current fan-out and node
    std::int16_t repacking_ = -1;  ///< repacking of that fan-out
    Account ours_;                 ///< scratch
    Account theirs_;
    std::vector<Memo> memos_;  ///< of the labels since memories or fan-outs changed
    std::size_t remembered_from_ = 0;
    std::vector<Due> dues_;
};

// Single primes, or whole bounded factors.
template <typename Visit>
void ImperfectDelivery::visit_extensions(int level, Frontier& frontier, const Node& node, std::uint32_t dimensions,
                                         const Visit& visit) const {
    for (std::uint32_t left = dimensions; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        const ImperfectTiles& tiles = charges_.tiles(d);
        for (const ImperfectTiles::Step& step : tiles.steps(level, node->tiles[d])) {
            if (!leads_on(tiles, level, step.to)) continue;
            TileNode& to = node_at(frontier, key_with(node->key, d, node->tiles[d], step.to), level);
            visit(Extension<Node>{d, step.factor, tiles.is_bounded(level), &to});
        }
    }
}

}  // namespace tilewright::optimal
