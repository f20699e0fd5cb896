// Imperfect completion bound: what the memories further out cost at least, wherever the loops of one assignment have
// come to, where its spatial factors may leave remainders. Internal to certificate/.
//
// Every choice of the tiles of all memories is a way through a lattice: one node of its chain per dimension. The
// deliveries to a memory cost at least what its tile and the first loop outside make of them; the least way from every
// point outwards adds these up.
//
// A tensor that passes some memories by rests while loops of theirs run that do not move it, and their tiles may have
// too little room for many of these. If any loop before such a memory's tile moves it, what it is sent depends on the
// tile that it had along the dimensions that move it, and on the memory's tile along all others. If none does, the
// first loop outside that tile may, which also moves or spares the tensors of the memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "certificate/imperfect/charges.hpp"
#include "certificate/imperfect/tile_costs.hpp"

namespace tilewright::certificate {

class ImperfectCompletionBound {
   public:
    /// Knows nothing but that every word is sent once where the lattice has more than `most_points`.
    ImperfectCompletionBound(const ImperfectCharges& charges, const Goal& goal, std::int64_t most_points);

    /// The delivery that is told apart at memory `level`: whether it is open, that is, no loop has moved it yet.
    const PassedBy* passed_by(int level) const {
        return known_ && passed_by_ && level > outermost_ && level < passed_by_->level ? &*passed_by_ : nullptr;
    }
    /// Of all deliveries to memory `level` and those outside, when its loops may be next; kNever: no loops fit, or the
    /// goal is out of reach. `open`: and of the delivery passed by.
    double from_loops_pj(int level, const Where& at, bool open) const;
    /// Of those outside memory `level`, when its tile is known, and with `open` of the delivery passed by.
    double from_store_pj(int level, const Where& at, bool open) const;
    /// And of those to the memory. Requires is_known().
    double with_store_pj(int level, const Where& at, bool open) const;
    bool is_known() const { return known_; }
    /// Of all deliveries but those to the compute units.
    double from_start_pj() const;

   private:
    /// The nodes that one dimension may be at when loops of a memory may be next.
    struct Axis {
        std::vector<int> places;  ///< by node: where it is among these; -1: it is not
        std::int64_t stride = 1;
        /// By place, what crossing the fan-out outside adds to the point of the next memory; kNowhere: it may not.
        std::vector<std::int64_t> outside;
    };
    struct Level {
        TileNodes nodes;
        std::array<Axis, kMaxDimensions> axes;
        std::int64_t points = 1;
        /// By point, and of each the second with an open delivery passed by.
        std::array<std::vector<double>, 2> loops_pj;  ///< from_loops_pj
        std::array<std::vector<double>, 2> store_pj;  ///< with_store_pj
    };
    static constexpr std::int64_t kNowhere = -1;

    void find_nodes();
    void find_passed_by();
    void cross_fan_outs();
    bool is_out_of_reach(int level, double outside_pj) const;
    double out_of_reach_pj(int level) const;
    void fill(int level);
    void look_outwards(int level, std::uint32_t dimensions, std::vector<double>& pj) const;
    void look_outwards(int level, int dimension, std::vector<double>& pj) const;
    void move_passed_by(int level, std::vector<double>& pj) const;
    std::int64_t point_outside(int level, const Tile& tile) const;
    double outside_pj(int level, std::int64_t point, bool open) const;
    std::int64_t point_of(int level, const Where& at) const;

    const Level& level(int l) const { return levels_[l]; }

    const ImperfectCharges& charges_;
    const Goal& goal_;
    const PartialCost start_;
    std::vector<Level> levels_;
    std::optional<PassedBy> passed_by_;
    int outermost_ = 0;  ///< the memory that it comes from
    bool known_ = true;
};

}  // namespace tilewright::certificate
