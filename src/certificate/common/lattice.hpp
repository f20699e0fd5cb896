// Lattice: all sets of inner temporal loops, one divisor per dimension. Internal to certificate/.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/common/addresses.hpp"

namespace tilewright::certificate {

/// To a point with more loops of one dimension.
struct LatticeEdge {
    int by = 0;  ///< points further on
    std::int32_t factor = 1;
    bool is_prime = false;
};

class Lattice {
   public:
    /// `rest`: temporal extents by dimension.
    Lattice(const Box& rest, int dimension_count);

    /// More loops have a larger number; the first point has none, the last all.
    int size() const { return size_; }
    const Box& loops(int point) const { return loops_[point]; }
    /// Iterations of all loops outside the point.
    double around(int point) const { return around_[point]; }
    const std::vector<LatticeEdge>& edges(int point, int dimension) const;
    /// The point without any loops of these dimensions (bits).
    int without(int point, std::uint32_t dimensions) const;
    /// Replaces each point's value by the minimum over points with as many or more loops of these dimensions (bits).
    void look_outwards(std::uint32_t dimensions, std::vector<double>& values) const;

   private:
    struct Axis {
        std::vector<std::int32_t> divisors;  ///< ascending
        int stride = 1;
        std::vector<std::vector<LatticeEdge>> edges;  ///< by divisor
    };

    std::vector<Axis> axes_;  ///< by dimension
    int size_ = 1;
    std::vector<Box> loops_;
    std::vector<double> around_;
};

}  // namespace tilewright::certificate
