// Wires of one assignment with spatial remainders: wire lengths of words below a memory.
//
// A step with shorter loops of a block repacks (docs/model.md, rule 7): a word's way depends on the trips of each loop.
// Results are cached: one object per thread.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mapper/optimal/geometry/block_order.hpp"
#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::optimal {

/// Indices first <= index < end of one loop of a block, in steps of `trips` iterations.
struct BlockIndices {
    std::int32_t trips = 1;
    std::int32_t first = 0;
    std::int32_t end = 1;
};

class ImperfectWires {
   public:
    using ByDimension = std::array<BlockIndices, kMaxDimensions>;

    /// `imperfect[l]`: dimensions with possible remainders at block l. Unknown layouts count the shortest ways.
    ImperfectWires(const Mapspace& mapspace, const lean::Setup& setup, const TilingPoint& assignment,
                   const std::vector<BlockOrder>& orders, const std::array<std::uint32_t, kMaxMemories>& imperfect);

    /// Energy of a word and hop below memory `level`.
    double hop_pj(int tensor, int level) const { return hop_pj_[tensor][level]; }
    /// Words from memory `level` to its neighbours, or its only one, pay wire energy.
    bool cost(int level) const { return (costs_ >> level & 1U) != 0; }
    /// Some costs are no energy per hop.
    bool left_out() const { return left_out_; }

    std::uint32_t block(int level) const { return blocks_[level]; }

    /// Hops of one word to every group of neighbours sharing it, for these indices of the block: groups differ in
    /// relevant indices. `imperfect`: dimensions with remainders, which decide the order of loops.
    double hops(int tensor, int level, std::uint32_t imperfect, const ByDimension& indices) const;
    /// Upper bound of one word to one group.
    double most_hops(int level) const { return most_hops_[level]; }
    /// Mean over all words, each sent at least once.
    double least_hops(int tensor, int level) const;
    /// Lower bound of one word to one group; the mean if all neighbours work in every step.
    double nearest_hops(int level) const;
    double even_hops(int tensor, int level) const;

    /// Energy of the compute units' accesses to the innermost memory.
    double operands_pj(int tensor) const;

   private:
    struct Layout {
        BlockOrder order;
        std::array<std::int32_t, kMaxDimensions> along_x{};
        std::array<std::int32_t, kMaxDimensions> along_y{};
    };
    void list_layouts(const Mapspace& mapspace, TilingPoint& point, int level);
    /// Shift of the tensor per step of each dimension; 0: irrelevant.
    using Moves = std::array<double, kMaxDimensions>;
    Moves moves_of(int tensor, int level) const;
    bool tells_apart(int level, const Moves& moves) const;
    double sum_hops(int level, const Layout& layout, std::uint32_t imperfect, const ByDimension& indices,
                    const Moves& moves) const;
    double least_sum_hops(int level, std::uint32_t imperfect, const ByDimension& indices, const Moves& moves) const;
    std::int64_t neighbours(int level) const;
    ByDimension all_indices(int level) const;
    double mean_hops(int tensor, int level, std::uint32_t imperfect, const ByDimension& indices) const;
    double least_of_loop(int tensor, int level, int dimension) const;
    void set_costs();

    const lean::Setup& setup_;
    TilingPoint assignment_;
    int levels_;
    int dimensions_;
    std::array<std::vector<Layout>, kMaxMemories> layouts_;  ///< of blocks with wire energy; empty: too many
    std::array<std::uint32_t, kMaxMemories> imperfect_;
    std::array<std::uint32_t, kMaxMemories> blocks_{};
    std::array<Mesh, kMaxMemories> grids_;
    std::array<std::array<double, kMaxMemories>, kMaxTensors> hop_pj_{};
    std::array<double, kMaxMemories> most_hops_{};
    std::uint32_t costs_ = 0;
    std::uint32_t twice_ = 0;
    bool left_out_ = false;
    mutable std::unordered_map<std::uint64_t, double> known_;
};

}  // namespace tilewright::optimal
