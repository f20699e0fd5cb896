// Simulated annealing over loop orders: SALSA's, and a variant with a higher success rate.
#pragma once

#include "zigzag/orders/scorer.hpp"

namespace tilewright::orders {

/// SALSA (mapspace/order_chain.hpp): swaps of two loops. One chain from a random order. Both stop early, as
/// interrupted, by the settings.
Found anneal_as_salsa(const Scorer& scorer, const Cooling& cooling, std::int64_t iterations, std::uint64_t seed,
                      const Settings& settings);

/// Ours: swaps of distinct loops only, sometimes of two neighbouring runs of equal loops; the temperature falls from 5
/// % to 0.3 % over any number of iterations.
Found anneal(const Scorer& scorer, std::int64_t iterations, std::uint64_t seed, const Settings& settings);

}  // namespace tilewright::orders
