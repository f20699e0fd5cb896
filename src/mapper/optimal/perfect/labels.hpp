// Label-setting over the temporal loops and stores of one assignment (spatial factors and kept tensors fixed): from the
// compute units outwards, one prime factor or store at a time. docs/optimal.md has the argument.
//
// A label stands for the loops inside some point of the lattice. It knows the energy of all deliveries that are
// settled, and which ones are still open: those whose words the loops further out decide. A label dies when another one
// at the same place is no worse whatever follows, or when it cannot come under the cutoff. labels_windows.cpp has
// deliveries of tensors whose tiles overlap, labels_dominance.cpp what lives, labels_nests.cpp what comes out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "mapper/optimal/bound.hpp"
#include "mapper/optimal/engine/block_loops.hpp"
#include "mapper/optimal/engine/sliding_tile.hpp"
#include "mapper/optimal/engine/stop_poll.hpp"
#include "mapper/optimal/first_words.hpp"
#include "mapper/optimal/lattice.hpp"
#include "mapper/optimal/perfect/charges.hpp"
#include "mapper/optimal/stages.hpp"
#include "mapper/optimal/tile_table.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// A complete nest of one assignment, at its least energy and cycles.
struct Nesting {
    PerfectPoint point;             ///< of even stages
    std::optional<Mapping> uneven;  ///< of others
    double energy_pj = 0.0;         ///< without leakage
    double cycles = 0.0;            ///< without the latency of links
};

/// True when nothing that costs so much, or more, is of interest.
using Pruned = std::function<bool(double energy_pj, double cycles)>;

class Labels {
   public:
    /// `timed`: also tell cycles of throttled memories apart; otherwise cycles are those of the computation.
    /// `stop`: asked from time to time; when it says so, run() ends early.
    /// `width`: keeps so many labels at a place, the cheapest: what comes out is good, but need not be the best.
    Labels(const Mapspace& mapspace, const TileTable& tiles, const Stages& stages, bool timed,
           std::function<bool()> stop = {}, std::size_t width = kAll);
    static constexpr std::size_t kAll = static_cast<std::size_t>(-1);

    /// All nests that no other one of this assignment beats in energy (and cycles), less the pruned ones.
    std::vector<Nesting> run(const Pruned& pruned, const CompletionBound& completion);

    /// run() was told to stop: what it returned is not all.
    bool stopped() const { return stop_.stopped(); }

   private:
    static constexpr std::int8_t kSettled = -1;

    /// Words that one memory is sent of a tensor whose tiles overlap, as far as the loops so far decide.
    struct Window {
        std::int8_t tensor = 0;
        std::int8_t level = 0;
        bool moved = false;  ///< some loop outside the memory moves the tile
        bool settled = false;
        std::int32_t stored_at = 0;  ///< the lattice point of its tile
        SlidingTile tile;            ///< once moved
        double sent = 0.0;           ///< if every advance further out sends the whole tile
        double groups = 1.0;
        double hop_pj = 0.0;
        double pj = 0.0;        ///< at most, if it were settled now; infinite while groups are not known
        double least_pj = 0.0;  ///< whatever loops follow

        /// Whatever loops follow, they take as much off both.
        bool moves_like(const Window& other) const {
            return tensor == other.tensor && level == other.level && moved == other.moved && settled == other.settled &&
                   tile.moves_like(other.tile) && groups == other.groups && hop_pj == other.hop_pj;
        }
    };

    struct Label {
        double energy_pj = 0.0;  ///< of what is settled, at least
        double doubt_pj = 0.0;   ///< and so much more at most: first words of results whose tiles overlap
        std::int32_t parent = -1;
        std::int32_t windows = 0;  ///< index of the first one
        std::int32_t words = 0;    ///< index of the words moved, when timed
        std::int32_t used = -1;    ///< index of the words in use by memory, where some memory is begun
        bool owns_words = false;   ///< else they are the parent's
        std::int32_t factor = 1;   ///< of the loop that made it; 1: a store did
        std::int8_t level = 0;     ///< to whose loops that one belongs, or of that store
        std::int8_t dimension = 0;
        std::uint8_t tensors = 0;  ///< of that store
        std::int8_t turn = 0;      ///< how far the order of its memory's loops has come, where stages share a memory
        std::int8_t window_count = 0;
        BlockLoops loops;
        /// Of tensors whose tiles do not overlap: the innermost memory whose delivery is open.
        std::array<std::int8_t, kMaxTensors> open;
    };

    /// Of two labels, what is open in only one of them.
    struct Pending {
        double ours_pj = 0.0;    ///< the one pays at most
        double theirs_pj = 0.0;  ///< the other at least
    };

    struct Entry {
        double least_pj = 0.0;  ///< what the label costs at least, less the deliveries to memories not yet placed
        std::int32_t label = 0;
    };
    using Place = std::vector<Entry>;  ///< by cost

    void look_at_windows();
    void start();
    void loops_at(const Stage& stage);
    void loops_at(int level, std::uint32_t dimensions);
    void store(const Stage& from, const Placing& placing);
    bool closes_block(const Stage& from, const Stage& to, const Label& label) const;
    Label stored(const Stage& from, const Placing& placing, int point, std::int32_t label);
    bool take_room(const Placing& placing, double room, Label& label);
    void open(const Stage& from, int point, Label& label);
    void cross(int level, int point);
    void extend(int level, int point, std::int32_t from, std::uint32_t dimensions);
    void step(int level, int point, std::int32_t from, int dimension, std::int64_t factor, int to);
    void finish(Label& label);
    void drop(const Label& label);
    void put(std::vector<Place>& places, int point, const Label& label);
    static bool is_under_way(const Window& window) { return window.moved && !window.settled; }
    bool may_replace(const Label& a, const Label& b) const;
    bool slides_along(const Label& label, int dimension) const;
    bool dominates(int point, const Label& a, const Label& b);
    void find_fitting(const Stage& stage);
    bool fits(int point, const Label& label) const;
    double room_for(int point, int level) const;
    double least_pj(int point, const Label& label) const;
    bool rest_is_free(int point, const Label& label) const;
    bool is_bounded(int level, int dimension) const { return (bounded_[level] >> dimension & 1U) != 0; }
    std::vector<Nesting> nestings() const;
    Nesting nesting(const Label& label) const;
    PerfectPoint even_point(const Label& label) const;
    Mapping uneven_mapping(const Label& label) const;

    Extents tile(int level, int point) const;
    double open_pj(int point, int tensor, int from);
    void add_open_words(int point, int tensor, int level, std::span<double> moved) const;
    const FirstWordsRange& first_words(const Window& window);
    void add_words(Label& label, int tensor, int level, double sent, const FirstWordsRange& first, double groups);
    void add_doubt(const Window& ours, const Window& theirs, Pending& pending);
    void settle_open(Label& label, int point, int tensor);
    void settle(Label& label, const Window& window, int point);
    double sent(const Window& window, int point) const;
    bool is_crossed(const Window& window) const;
    double cost_pj(const Window& window, double words, const FirstWords& first) const;
    void price(Window& window, int point);
    void move(Window& window, int point, int dimension, double factor, int to) const;
    void keep_windows(Label& label, int point, std::vector<Window>& windows);
    Pending compare_pending(int point, const Label& a, const Label& b);
    void compare_open(int point, const Label& a, const Label& b, Pending& pending);
    double least_sent(const Window& window, int point) const;
    std::size_t words_per_label() const { return static_cast<std::size_t>(is_doubtful_ ? 2 : 1) * word_count_; }
    double* own_words(Label& label);
    void fold(int level, Label& label);
    double cycles_of(const Label& label) const;

    const Mapspace& mapspace_;
    const TileTable& tiles_;
    const Charges& charges_;
    const lean::Setup& setup_;
    const Lattice& lattice_;
    const Stages& stages_;
    StopPoll stop_;
    std::size_t width_;
    std::size_t word_count_ = 0;
    bool is_doubtful_ = false;  ///< words of a label are followed by what they are at most
    std::array<bool, kMaxTensors> settles_early_{};
    std::array<std::uint32_t, kMaxMemories> bounded_{};  ///< bit d: the factor of a dimension has bounds there
    std::vector<Label> labels_;
    std::vector<Window> windows_;
    std::vector<double> words_;
    std::vector<double> used_;
    std::vector<std::vector<Place>> waiting_;  ///< by stage
    std::vector<Place> places_;                ///< of the stage at work
    std::vector<Window> moved_;                ///< scratch
    const Pruned* pruned_ = nullptr;
    const Stage* stage_ = nullptr;  ///< that of the labels at work
    const CompletionBound* completion_ = nullptr;
    std::size_t stage_number_ = 0;     ///< its number, for the bound of what it has not placed
    std::vector<char> fits_;           ///< by point: its tiles are not too large for the memories to be filled next
    int turn_ = 0;                     ///< of the loops at work, as in Label; 0 in even stages
    std::uint32_t loops_to_come_ = 0;  ///< dimensions that may still have loops in this block
    /// By point, tensor and memory: of windows of results.
    std::vector<std::optional<FirstWordsRange>> first_words_;
    std::vector<double> pending_words_;  ///< of compare_pending(): what `a` has to move at most
};

}  // namespace tilewright::optimal
