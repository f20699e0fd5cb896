// Prices of one assignment with spatial remainders (ruby-s): geometry, energy summed over all instances, bounds.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mapper/optimal/engine/words_moved.hpp"
#include "mapper/optimal/geometry/block_order.hpp"
#include "mapper/optimal/geometry/charges.hpp"
#include "mapper/optimal/imperfect/tiles.hpp"
#include "mapper/optimal/wires/wires.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::optimal {

/// A label's place: tile, chunks and outermost memory with a loop, by dimension.
struct Position {
    Extents tile{};    ///< product of all loops inside
    Extents chunks{};  ///< left to the loops outside
    std::array<std::int8_t, kMaxDimensions> since{};
    int crossed = 0;  ///< the outermost fan-out inside
};

/// Summed over the memory's instances.
struct AllAccesses {
    Range reads;
    Range fills;
    Range updates;
};

/// Lower bound of a word's energy over all instances of a memory, with any rounding up.
struct WordEnergy {
    double read_pj = 0.0;
    double fill_pj = 0.0;
    double update_pj = 0.0;
};

/// Words read and written by one instance of a memory, scaled by the tensor's share of bandwidth.
struct WordsMoved {
    double reads = 0.0;
    double writes = 0.0;
};

/// Decided remainders: fan-outs that divide, and fan-outs with one.
struct Remainders {
    std::array<std::uint32_t, kMaxMemories> decided{};  ///< by fan-out: bit d: of dimension d
    std::array<std::uint32_t, kMaxMemories> left{};     ///< with a remainder
};

class ImperfectCharges {
   public:
    /// With LayoutChoice::any all numbers are lower ends.
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

    /// Memory `level` receives words over a fan-out, or keeps them.
    bool is_boundary(int tensor, int level) const { return (boundaries_[tensor] >> level & 1U) != 0; }
    /// The next memory outside `level` that is a boundary or keeps the tensor.
    int next(int tensor, int level) const { return next_[tensor][level]; }

    /// A dimension at two fan-outs, the inner possibly with a remainder: the instances at work depend on the loops.
    bool spreads_twice(int dimension) const { return (twice_ >> dimension & 1U) != 0; }
    /// A dimension is at several fan-outs outside the memory.
    bool spreads_often(int dimension, int level) const {
        const std::uint32_t outside = spread_at_[dimension] & ((1U << level) - 1U);
        return (outside & (outside - 1U)) != 0;
    }
    bool spreads_more(int dimension, int fanout) const { return (spread_at_[dimension] & ~(1U << fanout)) != 0; }
    /// Dimensions alone on their rank of the tensor, with a step of one word, and on no other rank.
    std::uint32_t moves_alone(int tensor) const { return moves_alone_[tensor]; }
    /// Dimensions with a possible remainder at the fan-out below the memory.
    std::uint32_t may_leave(int level) const { return may_leave_[level]; }
    /// A loop with a remainder may be inside another one below the memory: they repack (docs/model.md, rule 7).
    bool may_repack(int level) const { return (repacking_ >> level & 1U) != 0; }
    const BlockOrder& order(int level) const { return orders_[level]; }
    LayoutChoice layouts() const { return layouts_; }

    /// Pairs with work of an instance below fan-out `first` and a step; loops so far outside `boundary` are one step.
    double active(int dimension, const Position& at, int first, int boundary) const;
    /// Trips in the very last step of the loop at the fan-out below memory `level`. Requires: no loop of the dimension
    /// outside that fan-out so far.
    std::int32_t last_trips(int dimension, const Position& at, int level) const;
    /// Instances of memory `level` that ever work, along one dimension and in total.
    Range ways(int dimension, int level, const Position& at) const;
    Range instances(int level, const Position& at) const;
    double most_instances(int level) const { return used_[level]; }

    /// Lower bound of the words of a tensor used by the instances of memory `level`, each counted per irrelevant index.
    double least_distinct(int tensor, int level) const;
    /// Lower bound of the words delivered to `level`: each once to all instances using it.
    double least_words(int tensor, int level) const { return least_words_[tensor][level]; }
    /// Lower bound of the words requested of `level` from inside.
    double least_asked(int tensor, int level) const { return least_asked_[tensor][level]; }
    /// Lower bound of the traffic if memory `level` fills (`fills`) or serves inner memories.
    const WordsMoved& least_moved(int tensor, int level, bool fills) const {
        return (fills ? least_filling_ : least_serving_)[tensor][level];
    }

    /// Energy of these accesses with `instances` of the memory at work.
    Range energy_pj(int tensor, int level, const AllAccesses& accesses, const Range& instances) const;
    WordEnergy least_per_word(int tensor, int level) const;
    /// Adds reads and writes per instance, scaled by the tensor's share of bandwidth.
    void add_words(int tensor, int level, const AllAccesses& accesses, const Range& instances, Range& reads,
                   Range& writes) const;
    double cycles_for(int level, double reads, double writes) const;

    /// Sharing between neighbours below memory `level` depends on the tile.
    bool shares_unevenly(int tensor, int level) const;
    /// Upper bound of the neighbours with different relevant indices sharing a word.
    double most_sharing(int tensor, int level) const;
    /// Accesses of the compute units to the innermost memory, in total.
    Range operands(int tensor) const;
    /// Lower bound of the deliveries to boundary `level` and their accesses at the parent.
    double least_pj(int tensor, int level) const { return least_pj_[tensor][level]; }
    /// Its part for fills of the memory itself and wires.
    double least_fills_pj(int tensor, int level) const;
    double least_wires_pj(int tensor, int level) const;
    double compute_pj() const { return setup_.compute_energy_pj; }
    double least_computing_pj() const { return compute_pj_; }
    /// Lower bound of one tensor; depends only on its keeping memories.
    double least_pj(int tensor) const;
    double least_pj() const { return compute_pj_ + outside_pj_.back(); }
    /// By memory l: least energy of the deliveries to memories 0 to l - 1.
    const std::vector<double>& outside_pj() const { return outside_pj_; }
    const Remainders& remainders() const { return remainders_; }
    const ImperfectWires& wires() const { return *wires_; }
    double least_leak_pj_per_cycle() const { return leak_pj_per_cycle_; }
    double least_steps() const { return least_steps_; }
    /// Lower bound of any nest's cycles: steps, and least words of every memory.
    double least_cycles() const { return least_cycles_; }

    /// False: some costs are bounded only, even at the end (wires with routers or trees).
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
    std::array<double, kMaxMemories + 1> share_{};  ///< of instances paying for vector accesses (clusters)
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
    double compute_pj_ = 0.0;  ///< with the compute units' accesses to adjacent memories
    std::uint32_t twice_ = 0;
    std::array<std::uint32_t, kMaxDimensions> spread_at_{};  ///< by dimension: bit l: a factor at fan-out l
    /// Instances at work, as far as known without loops: by memory and dimension, and the product of the known ones.
    std::array<std::array<Range, kMaxDimensions>, kMaxMemories + 1> known_ways_{};
    std::array<double, kMaxMemories + 1> known_instances_{};
    std::array<std::uint32_t, kMaxMemories> may_leave_{};
    std::uint32_t repacking_ = 0;
    std::vector<BlockOrder> orders_;
    /// Dimensions with a shorter last step that may move neighbours within the block.
    std::array<std::uint32_t, kMaxMemories> moves_neighbours_{};
    double leak_pj_per_cycle_ = 0.0;
    double least_steps_ = 1.0;
    double least_cycles_ = 1.0;
    std::unique_ptr<ImperfectWires> wires_;
};

}  // namespace tilewright::optimal
