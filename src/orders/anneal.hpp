// Simulated annealing over loop orders: SALSA's, and one that finds the best order more often.
#pragma once

#include "orders/problem.hpp"

namespace tilewright::orders {

/// SALSA: two loops change places; a worse order is accepted by its relative cost. (Jung, Symons, Mei, Verhelst,
/// Benini: SALSA: Simulated Annealing based Loop-Ordering Scheduler for DNN Accelerators, AICAS 2023.) One chain from a
/// random order. The formula of the paper, exp((V - V') / T), would with energies in pJ never accept anything worse; as
/// in SALSA's code it is exp((V / V' - 1) / T) here.
Found anneal_as_salsa(const zigzag::OrderEvaluator& evaluator, const Objective& objective, const Cooling& cooling,
                      std::int64_t iterations, std::uint64_t seed);

/// Ours: only loops that differ change places, sometimes two neighbouring runs of equal loops do; the temperature falls
/// from 5 % to 0.3 % however many iterations there are.
Found anneal(const zigzag::OrderEvaluator& evaluator, const Objective& objective, std::int64_t iterations,
             std::uint64_t seed);

}  // namespace tilewright::orders
