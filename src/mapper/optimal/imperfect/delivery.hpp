// What labels of nests with spatial remainders pay, and what of it is still open: as perfect/delivery.hpp, but as
// ranges. flows.cpp has what deliveries cost, windows.cpp tiles that overlap, closing.cpp blocks whose shorter steps
// leave neighbours elsewhere, label_wires.cpp wires, dominance.cpp which labels survive.
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
#include "mapper/optimal/engine/sliding_tile.hpp"
#include "mapper/optimal/geometry/nesting.hpp"
#include "mapper/optimal/geometry/travel.hpp"
#include "mapper/optimal/imperfect/charges.hpp"
#include "mapper/optimal/imperfect/completion_bound.hpp"

namespace tilewright::optimal {

/// What nests are measured against; may become stricter with what is found.
struct Pruning {
    Pruned pruned;
    /// Energy from which everything is pruned that takes at least so many cycles; infinite where it is not known.
    std::function<double(double cycles)> limit_pj;
};

struct ImperfectMode {
    bool timed = false;  ///< also tell cycles of throttled memories apart
    /// Compare labels by what they cost at least: what comes out is a bound, and nests that come near it.
    bool relaxed = false;
    std::size_t most_labels = 1U << 19U;
    /// Only so many labels at every node, the cheapest: what comes out are good nests, and no bound.
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
        std::int32_t words = -1;   ///< index of the words moved, when timed
        std::int8_t pending_count = 0;
        std::array<std::int8_t, kMaxDimensions> since;
        std::array<std::uint16_t, kMaxMemories> imperfect;  ///< by fan-out: dimensions that do not divide there
        std::array<std::int16_t, kMaxMemories> repacking;   ///< by fan-out: index of how it repacks; -1: it does not
        std::array<float, kMaxMemories> changes;            ///< by fan-out: how often neighbours change places
    };

    /// A label with what tells at once that it does not replace another one.
    struct Entry {
        double least_pj = 0.0;
        double most_pj = 0.0;  ///< of what is settled
        Range moved;           ///< all words at all memories
        std::int32_t label = 0;
    };

    /// The tiles of all dimensions, as a number: more loops always mean a larger one.
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
        std::vector<Key> fresh;  ///< heap of those still to be visited

        bool empty() const { return nodes.empty(); }
        static std::vector<Entry>& bucket(const Node& node) { return node->entries; }
        void add_fresh(Key key) {
            fresh.push_back(key);
            std::push_heap(fresh.begin(), fresh.end(), std::greater<>());
        }
        /// Nodes may be added further out meanwhile. visit(node) returns false to end.
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
        /// The node of the only label that there is.
        std::optional<TileNode*> only();
        void remove(TileNode* node) { nodes.erase(Key{node->key}); }
    };

    /// Takes the fan-out below a memory, or stores its tensors.
    struct Transition {
        std::size_t to = 0;
        int level = 0;
        bool crosses = false;
    };

    ImperfectDelivery(const Mapspace& mapspace, const ImperfectCharges& charges,
                      ImperfectCompletionBound& completion_bound, ImperfectMode mode);

    /// What labels are measured against. Refers to it.
    void prune_by(const Pruning& pruning) { pruning_ = &pruning; }

    // What label setting asks for (engine/label_setting.hpp). Stages: the compute units; then of each memory, the
    // innermost first, its loops and its store.

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

    /// At least.
    double cycles_of(const Label& label, const TileNode& node) const;
    /// Of a whole nest.
    Range cycles_at(const Label& label, const TileNode& node) const;

   private:
    static constexpr std::int8_t kSettled = LabelBase::kSettled;
    static constexpr std::int8_t kUnknown = -2;

    /// Words over a boundary: copies that arrive, and accesses outside.
    struct Flow {
        Range delivered;
        Range words;
        Range wire_pj;                     ///< of the words on their way
        bool moves_those_who_ask = false;  ///< the loop that moves this tile is the first to move theirs
    };

    /// A block in whose shorter steps neighbours sit elsewhere (docs/model.md, rule 7). Loops outside the one with a
    /// remainder tell neighbours apart: they meet what they held where they are number `k` of those loops in both kinds
    /// of step, which is for small k only.
    struct Repacking {
        int dimension = -1;         ///< the loop with a remainder; -1: several
        double neighbours = 1.0;    ///< along it, in the shorter step
        std::uint32_t outside = 0;  ///< dimensions of the loops outside it
        double meets = 1.0;         ///< share of all indices at most
        double jumps = 1.0;         ///< those of them that are not number 0

        bool operator==(const Repacking&) const = default;
    };

    /// What is under way of one tensor: the innermost first.
    struct Pending {
        std::int8_t tensor = 0;
        std::int8_t level = 0;
        bool is_chain = false;    ///< flow.words is what memories inside ask of the next one, on its way there
        bool settled = false;     ///< else a window that may slide on
        double share = 1.0;       ///< of the instances that may save anything at all
        std::uint32_t idled = 0;  ///< those: no loop of any other dimension has moved them yet
        SlidingTile tile;
        double distinct = 0.0;
        std::int8_t dimension = 0;  ///< that of the innermost loop that moved it
        bool mixed = false;         ///< others of `along` have moved it, too
        double jumps = 0.0;         ///< share of the instances that may come to where others were
        bool shorter = false;       ///< the last tile of some dimension
        Travel travel;              ///< along the rank that moved first
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

    /// Words that an instance need not be sent as a window moves on.
    struct Saving {
        double on_average = 0.0;
        double most = 0.0;
    };

    /// Adds charges up: for a label, or to compare two.
    struct Account {
        Range energy;
        /// When timed: reads and writes per memory, the least possible for what is not settled. The first: cycles that
        /// are certain.
        std::vector<Range> words;
    };
    /// What two labels have still to pay of one tensor.
    struct Walk {
        Range asked;
        bool asks = false;  ///< `asked` has not reached the next memory yet
    };
    /// What a label pays at most of one tensor if all is settled that is open outside memory `common`.
    struct Due {
        int common = kUnknown;
        Account account;
        Walk walk;
    };
    /// What comparisons with a label have found out, by tensor.
    struct Memo {
        std::array<std::int32_t, kMaxTensors> due;  ///< index; -1: none yet
        std::array<std::int8_t, kMaxTensors> outside;
        std::array<double, kMaxTensors> least_pj;  ///< of what is open inside memory `outside`

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
    /// The loops of memory `level`, or those outside, can deal the rest.
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
    /// Steps in which some indices of a block's loop get tiles of one size.
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
    /// By the words that it is sent; else passing_wires().
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

    /// Whatever loops follow; no energy of memories that are not placed yet.
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
    std::uint32_t missing_ = 0;    ///< dimensions that need a loop at the memory to be stored
    std::uint32_t leaves_ = 0;     ///< dimensions that leave a remainder at the fan-out and node at work
    std::int16_t repacking_ = -1;  ///< how that fan-out repacks
    Account ours_;                 ///< scratch
    Account theirs_;
    std::vector<Memo> memos_;  ///< of the labels since memories or fan-outs changed
    std::size_t remembered_from_ = 0;
    std::vector<Due> dues_;
};

// Single primes, or whole factors where they are bounded.
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
