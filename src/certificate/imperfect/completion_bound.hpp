// Imperfect completion bound: what the memories further out cost at least, wherever the loops of one assignment have
// come to, where its spatial factors may leave remainders. Internal to certificate/.
//
// Every choice of the tiles of all memories is a way through a lattice: one node of its chain per dimension. The
// deliveries to a memory cost at least what its tile and the first loop outside make of them; the least way from every
// point outwards adds these up.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "certificate/imperfect/charges.hpp"

namespace tilewright::certificate {

class ImperfectCompletionBound {
   public:
    /// Knows nothing but that every word is sent once where the lattice has more than `most_points`.
    ImperfectCompletionBound(const ImperfectCharges& charges, const Goal& goal, std::int64_t most_points);

    /// Of all deliveries to memory `level` and those outside, when its loops may be next; kNever: no loops fit, or the
    /// goal is out of reach.
    double from_loops_pj(int level, const Where& at) const;
    /// Of those outside memory `level`, when its tile is known.
    double from_store_pj(int level, const Where& at) const;
    /// And of those to the memory. Requires is_known().
    double with_store_pj(int level, const Where& at) const;
    bool is_known() const { return known_; }
    /// Of all deliveries but those to the compute units.
    double from_start_pj() const;

   private:
    /// The nodes that one dimension may be at when loops of a memory may be next.
    struct Axis {
        std::vector<int> nodes;   ///< ascending
        std::vector<int> places;  ///< by node: where it is among these; -1: it is not
        std::int64_t stride = 1;
    };
    struct Level {
        std::array<Axis, kMaxDimensions> axes;
        std::int64_t points = 1;
        std::vector<double> least_pj;  ///< from_loops_pj by point
    };

    void find_nodes();
    bool is_out_of_reach(int level, double outside_pj) const;
    void fill(int level);
    std::optional<Where> across(int level, const Where& at) const;
    double deliveries_pj(int level, const Where& at) const;
    std::int64_t point_of(const Level& level, const Where& at) const;
    Where worst(int crossed) const;
    bool is_done(const Where& at) const;

    const ImperfectCharges& charges_;
    const Goal& goal_;
    const Bill start_;
    std::vector<Level> levels_;
    bool known_ = true;
};

}  // namespace tilewright::certificate
