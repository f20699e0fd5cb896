// Label-setting over the temporal loops of one assignment whose spatial factors may leave remainders (ruby-s). As
// labels.hpp, with two differences: the lattice is that of ImperfectTiles, and what a delivery costs is known as a
// range. A label dies when another one costs no more even if all that is uncertain of the two turns out against it.
// docs/optimal.md has the argument.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mapper/optimal/engine/block_loops.hpp"
#include "mapper/optimal/engine/sliding_tile.hpp"
#include "mapper/optimal/engine/stop_poll.hpp"
#include "mapper/optimal/imperfect/charges.hpp"
#include "mapper/optimal/imperfect/completion_bound.hpp"
#include "mapper/optimal/perfect/labels.hpp"
#include "mapper/optimal/travel.hpp"

namespace tilewright::optimal {

/// What nests are measured against; may become stricter with what is found.
struct Mark {
    Pruned pruned;
    /// Energy from which everything is pruned that takes at least so many cycles; infinite where nobody knows.
    std::function<double(double cycles)> limit_pj;
};

class ImperfectLabels {
   public:
    struct Mode {
        bool timed = false;  ///< also tell cycles of throttled memories apart
        /// Compare labels by what they cost at least: what comes out is a bound, and nests that come near it.
        bool relaxed = false;
        std::size_t most_labels = 1U << 19U;
        /// Only so many labels at every place, the cheapest: what comes out are good nests, and no bound.
        std::size_t most_per_place = std::numeric_limits<std::size_t>::max();
    };

    struct Least {
        double energy_pj = 0.0;
        double cycles = 0.0;
    };

    /// `completion_bound` looks at these charges.
    ImperfectLabels(const Mapspace& mapspace, const ImperfectCharges& charges,
                    ImperfectCompletionBound& completion_bound, Mode mode, std::function<bool()> stop = {});

    /// All nests that no other one of this assignment beats, less the pruned ones, with what they cost at least.
    std::vector<Nesting> run(const Mark& mark);

    /// What this assignment's nest with the temporal loops of `point` costs, as far as labels know: energy without
    /// leakage, and (when timed) cycles. Nothing when it is not in the space or does not fit.
    struct Price {
        Range energy_pj;
        Range cycles;
        Least at_least;  ///< the highest bounds on the way there
    };
    std::optional<Price> price(const PerfectPoint& point);

    /// run() was told to stop: what it returned is not all.
    bool stopped() const { return stop_.stopped(); }
    /// Too many labels: likewise.
    bool overflowed() const { return overflowed_; }

   private:
    static constexpr std::int8_t kSettled = -1;
    static constexpr std::int8_t kUnknown = -2;

    /// Words over a boundary: copies that arrive, and accesses outside.
    struct Flow {
        Range delivered;
        Range words;
        Range wire_pj;  ///< of the words on their way
    };

    /// A block in whose shorter steps neighbours sit elsewhere (docs/model.md, rule 7). Loops outside the one with a
    /// remainder tell neighbours apart: they meet what they held where they are number `k` of those loops in both kinds
    /// of step, which is for small k only.
    struct Closing {
        int dimension = -1;         ///< the loop with a remainder; -1: several
        double neighbours = 1.0;    ///< along it, in the shorter step
        std::uint32_t outside = 0;  ///< dimensions of the loops outside it
        double meets = 1.0;         ///< share of all indices at most
        double jumps = 1.0;         ///< those of them that are not number 0

        bool operator==(const Closing&) const = default;
    };

    /// What is under way of one tensor: the innermost first.
    struct Pending {
        std::int8_t tensor = 0;
        std::int8_t level = 0;
        bool is_chain = false;     ///< flow.words is what memories inside ask of the next one, on its way there
        bool settled = false;      ///< else a window that may slide on
        double share = 1.0;        ///< of the instances that may save anything at all
        std::uint32_t asleep = 0;  ///< those: no loop of any other dimension has moved them yet
        SlidingTile tile;
        double distinct = 0.0;
        std::int8_t dimension = 0;  ///< that of the innermost loop that moved it
        bool mixed = false;         ///< others of `along` have moved it, too
        double jumps = 0.0;         ///< share of the instances that may come to where others were
        bool shorter = false;       ///< the last tile of some dimension
        Travel travel;              ///< along the rank that moved first
        bool closes = false;        ///< some may find less than others
        Flow flow;

        bool moves_together() const { return travel.is_steady() && !shorter && jumps == 0.0; }
        bool is_steady() const { return moves_together() && share == 1.0 && !closes; }
        bool moves_like(const Pending& other) const {
            return tensor == other.tensor && level == other.level && is_chain == other.is_chain &&
                   settled == other.settled && share == other.share && asleep == other.asleep &&
                   tile.moves_like(other.tile) && distinct == other.distinct && dimension == other.dimension &&
                   mixed == other.mixed && jumps == other.jumps && closes == other.closes && shorter == other.shorter &&
                   travel == other.travel;
        }
    };

    /// Words that an instance need not be sent as a window moves on.
    struct Saving {
        double on_average = 0.0;
        double most = 0.0;
    };

    struct Label {
        Range energy;
        std::int32_t parent = -1;
        std::int32_t pending = 0;  ///< index of the first one
        std::int32_t words = -1;   ///< index of the words moved, when timed
        std::int32_t factor = 1;
        std::int8_t level = 0;
        std::int8_t dimension = 0;
        std::int8_t pending_count = 0;
        BlockLoops loops;
        std::array<std::int8_t, kMaxTensors> open;  ///< the innermost boundary outside which nothing has moved yet
        std::array<std::int8_t, kMaxDimensions> since;
        std::array<std::uint16_t, kMaxMemories> imperfect;  ///< by fan-out: dimensions that do not divide there
        std::array<std::int16_t, kMaxMemories> closing;     ///< by fan-out: index of how it closes up; -1: it does not
        std::array<float, kMaxMemories> changes;            ///< by fan-out: how often neighbours change places
    };

    /// A label with what tells at once that it does not replace another one.
    struct Entry {
        double least_pj = 0.0;
        double most_pj = 0.0;  ///< of what is settled
        Range moved;           ///< all words at all memories
        std::int32_t label = 0;
    };
    struct Place {
        std::array<std::int16_t, kMaxDimensions> tiles;
        Position at;
        double least_cycles = 1.0;
        bool fits = true;
        bool fills = true;
        std::vector<Entry> entries;  ///< by cost
    };
    using Key = std::uint64_t;

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

    void start();
    void cross(int level);
    void loops_at(int level);
    void loops_at(int level, std::uint32_t dimensions);
    void store(int level);
    void extend(int level, Key key, std::int32_t from, std::uint32_t dimensions);
    void step(int level, Key key, std::int32_t from, int dimension, const ImperfectTiles::Step& step);
    Label stored(int level, std::int32_t from) const;
    void finish(Label& label, const Place& place);
    Place& place_at(Key key, int level);
    void lay_out(Place& place, int level) const;
    double completion_pj(const Label& label, const Place& place, double limit_pj);
    Key key_with(Key key, int dimension, int from, int to) const {
        return key + strides_[dimension] * static_cast<Key>(to - from);
    }
    static Position position(const Place& place, const Label& label);

    void load(const Label& label, Account& account);
    void save(const Account& account, Label& label);
    std::vector<Pending> pending_of(const Label& label) const;
    void advance(Label& label, const Place& place, int dimension, double factor, const Position& after);
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
    void wake(const Label& label, Pending& window, const Position& at, const Position& after, int dimension,
              double factor) const;
    void save(const Label& label, Pending& window, const Position& at, const Position& after,
              const Saving& saving) const;
    void settle_ready(Label& label, const Position& at, std::vector<Pending>& pending);
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

        void push(const Turn& turn) { items[static_cast<std::size_t>(count++)] = turn; }
    };
    Turns turns(int tensor, int boundary, const Position& at, const Extents& tile, int dimension) const;
    double hops(const Label& label, int tensor, int boundary, const Position& at, bool whole) const;
    double wire_pj(const Label& label, int tensor, int boundary, const Position& at, bool whole) const;
    Range whole_wires(const Label& label, int tensor, int boundary, const Position& at) const;
    void save_wires(const Label& label, Pending& window, const Position& at, const Position& after,
                    const Saving& saving) const;
    void allow_for_more(const Label& label, Flow& flow, int tensor, int boundary, const Position& at) const;
    bool stays(const Label& label, int tensor, int boundary) const;
    bool closes_up(const Label& label, int tensor, int boundary, bool idles) const;
    bool closes_up(const Label& label, int level, std::uint32_t& imperfect, std::uint32_t& outside) const;
    bool closes_up(int level, std::uint32_t leaves, std::uint32_t& imperfect, std::uint32_t& outside) const;
    std::int16_t closing_at(int level, const Position& inside, std::uint32_t leaves);
    double meeting(const Label& label, int tensor, int level) const;
    void change_places(Label& label, int level, int dimension, double factor) const;
    double jumping(const Label& label, int tensor, int level) const;
    double sent_again(const Label& label, int tensor, int boundary, bool shared, const Position& at) const;
    bool may_cost_more_later(const Label& label, int tensor, int boundary, const Position& at) const;
    double moved_copies(const Label& label, int tensor, int boundary) const;
    std::uint32_t block(int level) const;
    Extents held(int boundary, const Position& at) const;

    /// Whatever loops follow; no energy of memories that are not placed yet.
    Least least_of(const Label& label, const Place& place);
    double least_pending(const Label& label, int tensor, int outside, const Position& at, Account& account) const;
    double least_of(const Label& label, const Pending& window, const Position& at, Walk& walk, Account& account) const;
    double cycles_of(const Label& label, const Place& place) const;
    void put(Key key, int level, Label& label);
    bool moves_no_more(const Label& a, const Label& b) const;
    bool dominates(const Place& place, std::int32_t ours, std::int32_t theirs, double least_pj);
    void forget();
    void forget(std::int32_t label);
    Memo& memo(std::int32_t label) { return memos_[static_cast<std::size_t>(label) - remembered_from_]; }
    const Due& due(const Position& at, std::int32_t label, int tensor, int common);
    double open_pj(const Position& at, std::int32_t label, int tensor, int outside);
    Entry entry_of(const Label& label, double least_pj) const;
    bool compare(const Position& at, std::int32_t ours, std::int32_t theirs, int tensor);
    bool may_replace(const Label& a, const Label& b) const;
    bool covers(const Label& a, const Label& b, int tensor) const;
    bool meets_alike(const Label& a, const Label& b, int boundary, bool equal) const;
    double upper(const Range& range) const { return mode_.relaxed ? range.lo : range.hi; }
    bool slides_along(const Label& label, int dimension) const;
    void fold(int level, Label& label);

    bool place_loops(int level, const PerfectLevel& loops);
    std::vector<Nesting> nestings();
    Nesting nesting(const Label& label, double cycles) const;

    const Mapspace& mapspace_;
    const ImperfectCharges& charges_;
    ImperfectCompletionBound& completion_bound_;
    const lean::Setup& setup_;
    Mode mode_;
    StopPoll stop_;
    bool overflowed_ = false;
    std::array<Key, kMaxDimensions> strides_{};
    std::vector<Label> labels_;
    std::vector<Closing> closings_;
    std::vector<Pending> pending_;
    std::vector<Range> words_;
    std::unordered_map<Key, Place> places_;
    std::vector<Key> fresh_;  ///< heap of places still to be extended
    const Mark* mark_ = nullptr;
    int stored_ = 0;
    int crossed_ = 0;
    Account ours_;  ///< scratch
    Account theirs_;
    std::vector<Memo> memos_;  ///< of the labels since memories or fan-outs changed
    std::size_t remembered_from_ = 0;
    std::vector<Due> dues_;
};

}  // namespace tilewright::optimal
