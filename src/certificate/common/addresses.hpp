// Addresses: a tensor's box of words as a function of the iterations. Internal to certificate/.
//
// Written from docs/model.md; shares nothing with the searches.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/tiling_point.hpp"
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

// Wires: a word's cost from a memory to its inner neighbours. Internal to certificate/.

struct WireCosts {
    std::array<double, kMaxTensors> hop_pj{};   ///< of a word and hop, by tensor
    std::array<double, kMaxTensors> word_pj{};  ///< of a word to all neighbours sharing it: passages
    Mesh lattice;

    bool is_free() const { return hop_pj == std::array<double, kMaxTensors>{} && has_no_passages(); }
    bool has_no_passages() const { return word_pj == std::array<double, kMaxTensors>{}; }
};

/// The costs below memory `index`. `left_out`: set if there are costs of another form.
WireCosts wire_costs(const Einsum& einsum, const Architecture& architecture, int index, bool& left_out);

/// Hops of one word to every group of neighbours with equal words; `box`: iterations per step of the spatial loops.
double hops_to_all(const Addresses& tensor, const TilingLevel& level, int dimensions, const Box& box,
                   const Mesh& hardware);

}  // namespace tilewright::certificate
