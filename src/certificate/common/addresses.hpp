// Addresses: how a tensor's box of words moves with the iterations. Internal to certificate/.
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
/// How far a tile moves, per rank.
using Move = std::array<double, kMaxRanks>;

struct Addresses {
    bool written = false;
    std::uint32_t moving = 0;  ///< bit d: dimension d moves the tensor
    std::vector<Box> ranks;    ///< by rank: the coefficient of every dimension, 0 where it does not move the rank
    std::vector<std::uint32_t> dims;  ///< by rank: bit d: dimension d moves it
    /// Some rank is moved by several dimensions, or some dimension moves several ranks: tiles may overlap.
    bool overlaps = false;
    /// Coefficients are positive and every dimension moves one rank at most: a tile never comes back but by a reset.
    bool steady = true;

    Addresses(const Einsum& einsum, const Tensor& tensor);

    bool moves(int dimension) const { return (moving >> dimension & 1U) != 0; }
    /// Width of a box of iterations along one rank.
    double width(std::size_t rank, const Box& extents) const;
    /// Words of the bounding box of what these iterations touch.
    double words(const Box& extents) const;
    /// The move of one step of `stride` iterations along a dimension.
    Move step(int dimension, double stride) const;
    /// Words of a tile that are still in it after such a step.
    double kept(const Box& extents, int dimension, double stride) const;
    /// Dimensions of all ranks that `dimension` moves.
    std::uint32_t beside(int dimension) const;
    /// Some dimension moves several ranks.
    bool shares_dimensions() const;
    /// Sets of ranks (bits) that dimensions join: no dimension moves ranks of two sets. Of those that something moves.
    std::vector<std::uint32_t> tangles() const;
    /// Dimensions that move some of these ranks.
    std::uint32_t moving_some_of(std::uint32_t some) const;
    /// At least so many different words are in what these iterations touch.
    double distinct_at_least(const Box& extents) const;
};

}  // namespace tilewright::certificate
