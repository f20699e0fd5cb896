// Facts of a loop order determined by the set of inner loops: tiles, their fit, and the cost of a boundary between two
// memory levels at that position. For the bound on loop orders (order_bound.hpp). Internal to account/zigzag.
//
// A set of inner loops (a `Prefix`: a count per kind) stands for all its orders. An allocation's cost is a sum over
// boundaries: traffic between level l and the one above follows from the tile of level l, the product of the outer
// loops, and whether irrelevant loops of the output remain outside.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "zigzag/lean/setup.hpp"

namespace tilewright::zigzag::lean {

/// Index of a set of inner loops; 0 is the empty one, all loops are prefixes() - 1.
using Prefix = std::uint32_t;

class Boundaries {
   public:
    static constexpr std::size_t kMostPrefixes = std::size_t{1} << 22;

    /// `repeats`: loops per kind. Throws InputError(unsupported) beyond kMostPrefixes.
    Boundaries(const Setup& setup, std::span<const int> repeats);

    const Setup& setup() const { return setup_; }
    Prefix prefixes() const { return static_cast<Prefix>(outside_.size()); }
    /// Index step of one more loop of this kind.
    Prefix step(int kind) const { return step_[kind]; }
    bool has_more(Prefix prefix, int kind) const {
        return prefix / step_[kind] % (repeats_[kind] + 1) < repeats_[kind];
    }
    double outside(Prefix prefix) const { return outside_[prefix]; }
    bool reuse_remains(Prefix prefix) const { return reuse_remains_[prefix] != 0; }

    /// Lower bound on the allocation's bits for a tile with these loops inside; equal if exact().
    double bits(int operand, int level, Prefix prefix, bool partial_sums) const {
        const Operand& of = setup_.operand[operand];
        return elements_[operand][level][tile_[operand][prefix]] * (partial_sums ? of.bits : of.final_bits);
    }
    /// Tiles are independent of the inner order, and no loop grows one by more than its size: the allocation takes as
    /// many loops as fit.
    bool exact(int operand) const { return exact_[operand]; }

    /// Energy common to all orders.
    double fixed_pj() const { return fixed_pj_; }
    /// Energy between the multipliers and the first level if an input's first relevant loop comes next.
    double idle_pj(int operand, Prefix prefix) const;
    /// Lower bound on the energy between `level` and the next one for orders with this boundary.
    double boundary_pj(int operand, int level, Prefix prefix) const;

   private:
    void number_prefixes();
    void number_tiles(int operand);
    void fill_elements(int operand);
    bool grows_slowly(int operand) const;
    double stream_pj(int operand, int level, Direction direction, double elements, double bits, double count) const;

    const Setup& setup_;
    std::array<std::uint32_t, kKinds> repeats_{};
    std::array<Prefix, kKinds> step_{};
    std::vector<double> outside_;
    std::vector<std::uint8_t> reuse_remains_;
    std::array<std::array<std::uint32_t, kKinds>, kOperands> stride_{};
    std::array<std::uint32_t, kOperands> tiles_{};
    std::array<std::vector<std::uint32_t>, kOperands> tile_;
    std::array<std::array<std::vector<double>, kLevels>, kOperands> elements_;
    std::array<bool, kOperands> exact_{};
    double fixed_pj_ = 0.0;
};

}  // namespace tilewright::zigzag::lean
