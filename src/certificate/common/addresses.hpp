// Addresses: a tensor's box of words as a function of the iterations. Internal to certificate/.
//
// Written from docs/model.md; shares nothing with the searches.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// One number per dimension: extents, loops or strides.
using Box = std::array<double, kMaxDimensions>;
/// Shift of a tile, per rank.
using Move = std::array<double, kMaxRanks>;

struct Addresses {
    bool written = false;
    std::uint32_t moving = 0;         ///< bit d: dimension d is relevant
    std::vector<Box> ranks;           ///< by rank: coefficient of every dimension, 0 if irrelevant
    std::vector<std::uint32_t> dims;  ///< by rank: bit d: dimension d moves it
    /// Some rank has several dimensions, or some dimension several ranks: tiles may overlap.
    bool overlaps = false;
    /// Coefficients are positive and every dimension moves at most one rank: a tile returns by a reset only.
    bool steady = true;

    Addresses(const Einsum& einsum, const Tensor& tensor);

    bool moves(int dimension) const { return (moving >> dimension & 1U) != 0; }
    /// Width of a box of iterations along one rank.
    double width(std::size_t rank, const Box& extents) const;
    /// Words of the bounding box touched by these iterations.
    double words(const Box& extents) const;
    /// The move of one step of `stride` iterations along a dimension.
    Move step(int dimension, double stride) const;
    /// Words of a tile kept by such a step.
    double kept(const Box& extents, int dimension, double stride) const;
    /// Dimensions of all ranks moved by `dimension`.
    std::uint32_t beside(int dimension) const;
    bool shares_dimensions() const;
    /// Sets of ranks (bits) joined by dimensions: no dimension moves ranks of two sets. Moved ranks only.
    std::vector<std::uint32_t> tangles() const;
    /// Dimensions moving some of these ranks.
    std::uint32_t moving_some_of(std::uint32_t some) const;
    /// Lower bound of the distinct words touched by these iterations.
    double distinct_at_least(const Box& extents) const;
};

}  // namespace tilewright::certificate
