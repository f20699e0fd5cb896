// The loop order of least energy among all, proven by branch and bound.
//
// Orders grow from the innermost loop outwards, first where their bound (zigzag/lean/order_bound.hpp) is least;
// a beginning is left when none of its continuations can be better than the best order so far. The bound is so close
// that mostly the first order that is completed is proven.
#pragma once

#include "zigzag/orders/scorer.hpp"

namespace tilewright::orders {

/// Requires energy as objective: latency is not a sum over boundaries. Of equally good orders the one that is found
/// first counts, whatever its latency; energies that differ by less than 1e-12 of their size are taken as equal.
/// Found::complete when it is proven. Nothing when the bound would need too much memory.
std::optional<Found> search_best_energy(const Scorer& scorer, const Settings& settings);

}  // namespace tilewright::orders
