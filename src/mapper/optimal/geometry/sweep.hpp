// Sweeps: distinct words touched along one rank by all positions of a tile.
#pragma once

#include <cstdint>
#include <span>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

/// Factor for words computed as quotients: rounded up they could fill one block too many. Below the tolerance of
/// the judge, or ties would be followed.
inline constexpr double kRoundedDown = 1.0 - 1e-14;

std::span<const lean::Term> rank_terms(const lean::TensorForm& form, std::size_t rank);

/// Bit d: dimension d moves the rank.
std::uint32_t dimensions_of(std::span<const lean::Term> rank);

/// Two of these dimensions move one rank.
bool meet(const lean::TensorForm& form, std::uint32_t dimensions);

/// Lower bound of the words along one rank covered over the run by the tiles (`tile` iterations) of one instance of
/// memory `level`. Requires: none of the dimensions moves another rank.
double swept_words(const Charges& charges, int level, std::span<const lean::Term> rank, const Extents& tile);

/// The same for all ranks together and any tile.
double swept_words(const Charges& charges, int level, const lean::TensorForm& form);

/// Distinct words of a tensor in a box of iterations; 0 if a dimension moves two of its ranks.
double distinct_at_least(const lean::TensorForm& form, const Extents& extents);

/// Lower bound of the words used along one rank by all instances one after the other: `ways` instances by dimension,
/// each index of a dimension at one of them.
double distinct_at_least(std::span<const lean::Term> rank, const Extents& extents, const Extents& ways);

/// Every word of the tensor (at least `distinct`) is passed on to `level` at least once. With `sent` words per
/// instance: the least number of groups of neighbours if sharing depends on tiles; otherwise the least words per
/// instance, at least `sent`.
double sent_at_least(const Charges& charges, int tensor, int level, double sent, double distinct);
double groups_at_least(const Charges& charges, int tensor, int level, double sent, double distinct);

}  // namespace tilewright::optimal
