// Lattice: all products of temporal loops, from none to all of them.
//
// A point has a divisor of the temporal extent per dimension. More loops always have a larger number.
// PointSet: bit set of lattice points; one step moves 64 at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

class PointSet {
   public:
    PointSet() = default;
    /// Empty, for `size` points.
    explicit PointSet(int size) : words_((static_cast<std::size_t>(size) + kBits - 1) / kBits, 0) {}

    bool has(int point) const { return (words_[word(point)] >> bit(point) & 1U) != 0; }
    void add(int point) { words_[word(point)] |= std::uint64_t{1} << bit(point); }
    void add(int begin, int end);
    void keep(const PointSet& others);
    void remove(const PointSet& others);
    /// Adds `distance` + every point of the set in `may_step`. False if all were present.
    bool add_after(int distance, const PointSet& may_step);
    /// Adds points in `may_step` `distance` before a point of the set.
    bool add_before(int distance, const PointSet& may_step);
    /// Points in `may_step` `distance` before one of these.
    PointSet before(int distance, const PointSet& may_step) const;

    template <typename Visit>
    void visit(const Visit& visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
                visit(static_cast<int>(w * kBits) + std::countr_zero(left));
    }

   private:
    static constexpr std::size_t kBits = 64;
    static std::size_t word(int point) { return static_cast<std::size_t>(point) / kBits; }
    static unsigned bit(int point) { return static_cast<unsigned>(point) % kBits; }

    std::vector<std::uint64_t> words_;
};

/// One prime factor of one dimension: a step multiplies that dimension's loops by it.
struct Axis {
    int dimension = 0;
    std::int32_t prime = 2;
    int most = 0;    ///< multiplicity
    int stride = 0;  ///< of the point's number
    int number = 0;  ///< of the axis itself
};

class Lattice {
   public:
    /// `rest`: temporal extents by dimension.
    Lattice(const Extents& rest, int dimension_count);

    int size() const { return size_; }
    const std::vector<Axis>& axes() const { return axes_; }
    /// Exponent of the axis's prime in the point.
    int exponent(int point, const Axis& axis) const { return point / axis.stride % (axis.most + 1); }
    const Extents& loops(int point) const { return loops_[point]; }
    /// Iterations of all temporal loops outside.
    double around(int point) const { return around_[point]; }
    /// A point with one step less, -1 for the first point.
    int before(int point) const { return before_[point]; }
    /// visit(point, next) for every step along the axis, in each line from the inside or from the outside.
    template <typename Visit>
    void outwards(const Axis& axis, const Visit& visit) const {
        const int line = axis.stride * (axis.most + 1);
        for (int begin = 0; begin < size_; begin += line)
            for (int point = begin; point + axis.stride < begin + line; ++point) visit(point, point + axis.stride);
    }
    template <typename Visit>
    void inwards(const Axis& axis, const Visit& visit) const {
        const int line = axis.stride * (axis.most + 1);
        for (int begin = 0; begin < size_; begin += line)
            for (int point = begin + line - axis.stride; point-- > begin;) visit(point, point + axis.stride);
    }
    const PointSet& may_step(const Axis& axis) const { return may_step_[static_cast<std::size_t>(axis.number)]; }
    /// Adds all points reachable by loops along these dimensions (outwards), or with such loops to a point of the set.
    void spread_outwards(std::uint32_t dimensions, PointSet& points) const;
    void spread_inwards(std::uint32_t dimensions, PointSet& points) const;
    /// By point: minimum over all points reachable by loops along these dimensions.
    void take_least(std::uint32_t dimensions, std::vector<double>& cost) const;
    /// Minimum over all points inside with such loops to the point.
    void take_least_inside(std::uint32_t dimensions, std::vector<double>& cost) const;
    /// Number of `point` with `factor` more loops of `dimension`, -1 if too few are left.
    int after(int point, int dimension, std::int64_t factor) const;

   private:
    int size_ = 1;
    std::vector<Axis> axes_;
    std::vector<PointSet> may_step_;  ///< by axis
    std::vector<Extents> loops_;
    std::vector<double> around_;
    std::vector<std::int32_t> before_;
};

}  // namespace tilewright::optimal
