// The minimum-energy loop order, proven by branch and bound.
//
// Orders grow from the innermost loop outwards, in ascending order of their bound (zigzag/lean/order_bound.hpp); a
// beginning is pruned once its bound is no better than the incumbent. The bound is tight: usually the first completed
// order is proven.
// All distinct loop orders, in parallel; on ties the first. LOMA is this on fewer factors.
#pragma once

#include <functional>
#include <vector>

#include "zigzag/orders/scorer.hpp"
#include "zigzag/orders/searches.hpp"

namespace tilewright::orders {

/// Requires energy as objective: latency is not a sum over boundaries. On ties the first order found counts, whatever
/// its latency; energies within a relative 1e-12 are equal. Found::complete: proven. Empty if the bound would need too
/// much memory.
std::optional<Found> search_best_energy(const Scorer& scorer, const Settings& settings);

/// Requires count_orders(scorer.first_order()) <= settings.most_orders.
Found search_all(const Scorer& scorer, const Settings& settings);

// Searches the loop orders of many layers, several at a time.

/// Calls are serialized, from any thread; layers finish in any order.
using LayerDone = std::function<void(std::size_t layer, const Answer& answer)>;

/// One answer per problem, independent of settings.threads and of each other. After settings.stop, remaining layers are
/// left out as interrupted. With settings.seconds, every layer gets a share of the remaining time; without a result it
/// gets the best of a few orders.
std::vector<Answer> search_layers(const std::vector<OrderProblem>& problems, const Search& search,
                                  const Settings& settings, const LayerDone& done = {});

}  // namespace tilewright::orders
