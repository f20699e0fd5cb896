// Simulated annealing over loop orders: SALSA's, and one that finds the best order more often.
#pragma once

#include "zigzag/orders/scorer.hpp"

namespace tilewright::orders {

/// SALSA (mapspace/order_chain.hpp): two loops change places. One chain from a random order. Both end early,
/// as interrupted, when the settings say so.
Found anneal_as_salsa(const Scorer& scorer, const Cooling& cooling, std::int64_t iterations, std::uint64_t seed,
                      const Settings& settings);

/// Ours: only loops that differ change places, sometimes two neighbouring runs of equal loops do; the temperature falls
/// from 5 % to 0.3 % however many iterations there are.
Found anneal(const Scorer& scorer, std::int64_t iterations, std::uint64_t seed, const Settings& settings);

}  // namespace tilewright::orders
