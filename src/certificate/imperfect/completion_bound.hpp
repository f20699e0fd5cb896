// Imperfect completion bound: lower bound of the outer memories from any state of one assignment's loops, with spatial
// remainders. Internal to certificate/.
//
// The tiles of all memories are a path through a lattice: one chain node per dimension. A memory's deliveries cost at
// least the minimum for its tile and first outer loop; shortest paths outwards add these up.
//
// A tensor bypassing memories rests during their irrelevant loops, and their tiles may have too little room for many of
// these. If a loop before such a memory's tile moves it, its words depend on its own tile along relevant dimensions and
// on the memory's tile along all others. Otherwise the first loop outside that tile may, which also moves or spares the
// memory's tensors.
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
    /// Beyond `most_points` lattice points only sends every word once.
    ImperfectCompletionBound(const ImperfectCharges& charges, const Goal& goal, std::int64_t most_points);

    /// The distinguished bypassing delivery at memory `level`: may be open, not moved by any loop yet.
    const PassedBy* passed_by(int level) const {
        return known_ && passed_by_ && level > outermost_ && level < passed_by_->level ? &*passed_by_ : nullptr;
    }
    /// Of all deliveries to memory `level` and outside, before its loops; kNever: no loops fit, or the goal is out of
    /// reach. `open`: with the bypassing delivery.
    double from_loops_pj(int level, const Where& at, bool open) const;
    /// Of those outside memory `level`, for its known tile; `open`: likewise.
    double from_store_pj(int level, const Where& at, bool open) const;
    /// With those to the memory. Requires is_known().
    double with_store_pj(int level, const Where& at, bool open) const;
    bool is_known() const { return known_; }
    /// Of all deliveries but those to the compute units.
    double from_start_pj() const;

   private:
    /// The possible nodes of one dimension before a memory's loops.
    struct Axis {
        std::vector<int> places;  ///< by node: its index among these; -1: none
        std::int64_t stride = 1;
        /// By place: offset in the point of the next memory after crossing the fan-out; kNowhere: not allowed.
        std::vector<std::int64_t> outside;
    };
    struct Level {
        TileNodes nodes;
        std::array<Axis, kMaxDimensions> axes;
        std::int64_t points = 1;
        /// By point; second: with the bypassing delivery open.
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
    int outermost_ = 0;  ///< its source memory
    bool known_ = true;
};

}  // namespace tilewright::certificate
