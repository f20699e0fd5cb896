// Wires of one assignment whose spatial factors may leave remainders: how far words travel below a memory.
//
// A step in which some loops of a block run less often repacks (docs/model.md, rule 7), so the way of a word depends
// on how often each of them runs then. What was asked once is remembered: an object is for one thread.
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

/// Indices of one loop of a block: first <= index < end, in steps in which it runs `trips` times.
struct BlockIndices {
    std::int32_t trips = 1;
    std::int32_t first = 0;
    std::int32_t end = 1;
};

class ImperfectWires {
   public:
    using ByDimension = std::array<BlockIndices, kMaxDimensions>;

    /// `imperfect[l]`: dimensions that may leave a remainder at block l.
    /// Where the layout of a block is not known, ways are the shortest of all.
    ImperfectWires(const Mapspace& mapspace, const lean::Setup& setup, const TilingPoint& assignment,
                   const std::vector<BlockOrder>& orders, const std::array<std::uint32_t, kMaxMemories>& imperfect);

    /// Energy of a word and hop below memory `level`.
    double hop_pj(int tensor, int level) const { return hop_pj_[tensor][level]; }
    /// Words that go from memory `level` to its neighbours, or its only one, pay for it.
    bool cost(int level) const { return (costs_ >> level & 1U) != 0; }
    /// There are costs of another form than energy per hop.
    bool left_out() const { return left_out_; }

    /// Dimensions that block `level` spreads.
    std::uint32_t block(int level) const { return blocks_[level]; }

    /// Hops of one word to every group of neighbours that share it, when these indices of the block run: groups differ
    /// in indices that move the tensor. `imperfect`: dimensions that leave a remainder, which decides the order of
    /// loops.
    double hops(int tensor, int level, std::uint32_t imperfect, const ByDimension& indices) const;
    /// Of one word to one group at most.
    double most_hops(int level) const { return most_hops_[level]; }
    /// On average, of all words that are sent at least once.
    double least_hops(int tensor, int level) const;
    /// Of one word to one group at least, and on average where all neighbours work in every step.
    double nearest_hops(int level) const;
    double even_hops(int tensor, int level) const;

    /// Energy of what the compute units ask of the innermost memory.
    double operands_pj(int tensor) const;

   private:
    /// One way to lay a block out.
    struct Layout {
        BlockOrder order;
        std::array<std::int32_t, kMaxDimensions> along_x{};
        std::array<std::int32_t, kMaxDimensions> along_y{};
    };
    void list_layouts(const Mapspace& mapspace, TilingPoint& point, int level);
    /// How far a step of each dimension moves the tensor; 0: not at all.
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
    std::array<std::vector<Layout>, kMaxMemories> layouts_;  ///< of blocks whose wires cost; none: too many
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
