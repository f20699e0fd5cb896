// Sweeps: how many different words a tile has touched along one rank when it has been everywhere.
#pragma once

#include <cstdint>
#include <span>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

/// Of words that are quotients: rounded up, they could fill one block more than they do. Less than what is taken for
/// equal (judge.hpp), or ties would be followed.
inline constexpr double kRoundedDown = 1.0 - 1e-14;

std::span<const lean::Term> rank_terms(const lean::TensorForm& form, std::size_t rank);

/// Bit d: dimension d moves the rank.
std::uint32_t dimensions_of(std::span<const lean::Term> rank);

/// Whether two of these dimensions move one rank.
bool meet(const lean::TensorForm& form, std::uint32_t dimensions);

/// Words along one rank that the tiles of one instance of memory `level` cover over the run, when a tile takes `tile`
/// iterations: at least so many. Requires: none of the dimensions moves another rank.
double swept_words(const Charges& charges, int level, std::span<const lean::Term> rank, const Extents& tile);

/// The same for all ranks together, whatever the tile.
double swept_words(const Charges& charges, int level, const lean::TensorForm& form);

/// Distinct words of a tensor in a box of iterations; 0, where a dimension moves two of its ranks.
double distinct_at_least(const lean::TensorForm& form, const Extents& extents);

/// Along one rank, what all instances work on at least, one after the other: so many instances by dimension, if every
/// index of a dimension belongs to one of them.
double distinct_at_least(std::span<const lean::Term> rank, const Extents& extents, const Extents& ways);

/// Every word of the tensor, `distinct` or more, is passed on to `level` at least once. When its instances are sent so
/// many words each, and sharing depends on tiles, there are at least so many groups of neighbours; where the groups are
/// known, each instance is sent at least so many words, `sent` or more.
double sent_at_least(const Charges& charges, int tensor, int level, double sent, double distinct);
double groups_at_least(const Charges& charges, int tensor, int level, double sent, double distinct);

}  // namespace tilewright::optimal
