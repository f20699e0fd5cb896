// What one assignment costs where its spatial factors may leave remainders (ruby-s): geometry, the energy of accesses
// that are summed over all instances, and bounds. docs/optimal.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mapper/optimal/engine/range.hpp"
#include "mapper/optimal/geometry/block_order.hpp"
#include "mapper/optimal/geometry/charges.hpp"
#include "mapper/optimal/imperfect/tiles.hpp"
#include "mapper/optimal/wires/wires.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::optimal {

/// Where a label is: the tile of every dimension, its chunks, and the outermost memory with a loop of it.
struct Position {
    Extents tile{};    ///< product of all loops inside
    Extents chunks{};  ///< left to the loops outside
    std::array<std::int8_t, kMaxDimensions> since{};
    int crossed = 0;  ///< the outermost fan-out inside
};

/// Accesses of one memory, summed over its instances.
struct AllAccesses {
    Range reads;
    Range fills;
    Range updates;
};

/// Energy of each word over all instances of a memory, at least: whatever is rounded up.
struct WordEnergy {
    double read_pj = 0.0;
    double fill_pj = 0.0;
    double update_pj = 0.0;
};

/// Words that one instance of a memory reads and writes, scaled by the tensor's share of the bandwidth.
struct WordsMoved {
    double reads = 0.0;
    double writes = 0.0;
};

/// Which fan-outs divide and which leave a remainder, as far as that is decided.
struct Remainders {
    std::array<std::uint32_t, kMaxMemories> decided{};  ///< by fan-out: bit d: of dimension d
    std::array<std::uint32_t, kMaxMemories> left{};     ///< those that leave one
};

class ImperfectCharges {
   public:
    /// What is known of any layout are lower ends of ranges only.
    ImperfectCharges(const Mapspace& mapspace, const lean::Setup& setup, const TilingPoint& assignment,
                     LayoutChoice layouts, const Remainders& remainders = {});

    const lean::Setup& setup() const { return setup_; }
    const TilingPoint& assignment() const { return assignment_; }
    int level_count() const { return levels_; }
    int dimension_count() const { return dimensions_; }
    int tensor_count() const { return tensors_; }
    const ImperfectTiles& tiles(int dimension) const { return tiles_[dimension]; }
    double spread(int level, int dimension) const { return spread_[level][dimension]; }
    int outermost(int tensor) const { return outermost_[tensor]; }
    bool keeps(int tensor, int level) const { return assignment_[level].keep.has(tensor); }
    bool is_relevant(int tensor, int dimension) const {
        return (setup_.tensors[tensor].relevant >> dimension & 1U) != 0;
    }

    /// Words come to memory `level` over a fan-out, or to stay: what it is sent matters.
    bool is_boundary(int tensor, int level) const { return (boundaries_[tensor] >> level & 1U) != 0; }
    /// The next memory outside `level` that is a boundary or keeps the tensor.
    int next(int tensor, int level) const { return next_[tensor][level]; }

    /// A dimension is at two fan-outs, of which the inner one may leave a remainder: how many instances work depends on
    /// the loops.
    bool spreads_twice(int dimension) const { return (twice_ >> dimension & 1U) != 0; }
    /// A dimension is at several fan-outs outside the memory.
    bool spreads_often(int dimension, int level) const {
        const std::uint32_t outside = spread_at_[dimension] & ((1U << level) - 1U);
        return (outside & (outside - 1U)) != 0;
    }
    /// A dimension is at other fan-outs, too.
    bool spreads_more(int dimension, int fanout) const { return (spread_at_[dimension] & ~(1U << fanout)) != 0; }
    /// Dimensions that move a rank of the tensor word by word, which no other dimension moves, and nothing else of it.
    std::uint32_t moves_alone(int tensor) const { return moves_alone_[tensor]; }
    /// Dimensions that may leave a remainder at the fan-out below the memory.
    std::uint32_t may_leave(int level) const { return may_leave_[level]; }
    /// A loop with a remainder may be inside another one below the memory: they repack (docs/model.md, rule 7).
    bool may_repack(int level) const { return (repacking_ >> level & 1U) != 0; }
    /// How the loops of the fan-out below the memory lie.
    const BlockOrder& order(int level) const { return orders_[level]; }
    LayoutChoice layouts() const { return layouts_; }

    /// Pairs of an instance below fan-out `first` and a step that have anything to do in dimension d: the loops so far
    /// outside memory `boundary` are run through in one step.
    double active(int dimension, const Position& at, int first, int boundary) const;
    /// How often the loop of the fan-out below memory `level` runs in the very last step. Requires that no loop of
    /// the dimension has been placed outside that fan-out.
    std::int32_t last_trips(int dimension, const Position& at, int level) const;
    /// Instances of memory `level` that ever work, along one dimension and all together.
    Range ways(int dimension, int level, const Position& at) const;
    Range instances(int level, const Position& at) const;
    double most_instances(int level) const { return used_[level]; }

    /// Words of a tensor that the instances of memory `level` work on at least, those apart that differ in dimensions
    /// that do not move the tensor.
    double least_distinct(int tensor, int level) const;
    /// Words that come to `level` at least: each one once to all instances that work with it.
    double least_words(int tensor, int level) const { return least_words_[tensor][level]; }
    /// Words that are asked of `level` from inside at least.
    double least_asked(int tensor, int level) const { return least_asked_[tensor][level]; }
    /// What moves at least where memory `level` fills (`fills`), or serves those inside.
    const WordsMoved& least_moved(int tensor, int level, bool fills) const {
        return (fills ? least_filling_ : least_serving_)[tensor][level];
    }

    /// Energy of such accesses, `instances` of the memory at work.
    Range energy_pj(int tensor, int level, const AllAccesses& accesses, const Range& instances) const;
    WordEnergy least_per_word(int tensor, int level) const;
    /// Adds reads and writes per instance, scaled by the tensor's share of the bandwidth.
    void add_words(int tensor, int level, const AllAccesses& accesses, const Range& instances, Range& reads,
                   Range& writes) const;
    double cycles_for(int level, double reads, double writes) const;

    /// Which neighbours below memory `level` share words depends on the tile.
    bool shares_unevenly(int tensor, int level) const;
    /// At most so many of those that differ in relevant indices share a word.
    double most_sharing(int tensor, int level) const;
    /// What the compute units ask of the innermost memory, all together.
    Range operands(int tensor) const;
    /// Everything that comes to boundary `level`, and what that asks of its parent, costs at least so much.
    double least_pj(int tensor, int level) const { return least_pj_[tensor][level]; }
    /// Of that, fills of the memory itself, and on the wires.
    double least_fills_pj(int tensor, int level) const;
    double least_wires_pj(int tensor, int level) const;
    double compute_pj() const { return setup_.compute_energy_pj; }
    /// Of any nest.
    double least_computing_pj() const { return compute_pj_; }
    /// What one tensor costs at least; depends on the memories that keep that one only.
    double least_pj(int tensor) const;
    double least_pj() const { return compute_pj_ + outside_pj_.back(); }
    /// By memory l: the least energy of what comes to memories 0 to l - 1.
    const std::vector<double>& outside_pj() const { return outside_pj_; }
    const Remainders& remainders() const { return remainders_; }
    const ImperfectWires& wires() const { return *wires_; }
    double least_leak_pj_per_cycle() const { return leak_pj_per_cycle_; }
    double least_steps() const { return least_steps_; }
    /// No nest takes less: its steps, and the words that every memory reads and writes at least.
    double least_cycles() const { return least_cycles_; }

    /// False: what is known of some costs is a bound only, however far they are followed (wires with routers or trees).
    bool exact() const { return !wires_->left_out(); }

   private:
    void set_geometry(const Mapspace& mapspace, const Remainders& remainders);
    void set_boundaries();
    void set_shares(const Mapspace& mapspace);
    void set_remainders();
    void set_places();
    double least_in_full_steps(int dimension, int level) const;
    void set_least();
    Range ways_outside(int dimension, int level) const;
    Position start_position() const;
    double words_at_least(int tensor, int level) const;
    double asked_at_least(int tensor, int level) const;
    void set_least_moved();
    double cycles_at_least() const;
    double most_first_words(int tensor, int level, const Position& at) const;
    AllAccesses least_accesses(int tensor, int level, double words) const;
    double least_access_pj(int tensor, int level, double words) const;
    double least_of(int tensor, int level) const;
    double operands_at_least_pj(int tensor) const;
    double vectors_pj(int tensor, int level, double words, double pj, double instances) const;
    Range priced_pj(const lean::Price& price, double share, const Range& words, const Range& instances) const;
    void add_priced_words(int tensor, int level, const AllAccesses& accesses, const Range& instances, Range& reads,
                          Range& writes) const;

    const lean::Setup& setup_;
    TilingPoint assignment_;
    int levels_;
    int dimensions_;
    int tensors_;
    std::vector<ImperfectTiles> tiles_;
    std::array<Extents, kMaxMemories> spread_{};
    std::array<double, kMaxMemories + 1> used_{};
    LayoutChoice layouts_;
    std::array<double, kMaxMemories + 1> share_{};  ///< of the instances that pay for vector accesses (clusters)
    std::array<std::uint32_t, kMaxTensors> boundaries_{};
    std::array<std::uint32_t, kMaxTensors> moves_alone_{};
    std::array<std::array<std::int8_t, kMaxMemories + 1>, kMaxTensors> next_{};
    std::array<int, kMaxTensors> outermost_{};
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> least_pj_{};
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> least_words_{};
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> least_asked_{};
    std::array<std::array<WordsMoved, kMaxMemories>, kMaxTensors> least_filling_{};
    std::array<std::array<WordsMoved, kMaxMemories>, kMaxTensors> least_serving_{};
    std::vector<double> outside_pj_;
    Remainders remainders_;
    double compute_pj_ = 0.0;  ///< with what the compute units ask of the memories next to them
    std::uint32_t twice_ = 0;
    std::array<std::uint32_t, kMaxDimensions> spread_at_{};  ///< by dimension: bit l: a factor at fan-out l
    /// Instances that work, as far as that is known without the loops: by memory and dimension, and the product of
    /// those that are known.
    std::array<std::array<Range, kMaxDimensions>, kMaxMemories + 1> known_ways_{};
    std::array<double, kMaxMemories + 1> known_instances_{};
    std::array<std::uint32_t, kMaxMemories> may_leave_{};
    std::uint32_t repacking_ = 0;
    std::vector<BlockOrder> orders_;
    /// Dimensions whose shorter last step may leave neighbours at other places of the block.
    std::array<std::uint32_t, kMaxMemories> moves_neighbours_{};
    double leak_pj_per_cycle_ = 0.0;
    double least_steps_ = 1.0;
    double least_cycles_ = 1.0;
    std::unique_ptr<ImperfectWires> wires_;
};

}  // namespace tilewright::optimal
