// Simulated annealing over loop orders as SALSA does it: two loops change places; a worse order is accepted by its
// relative cost. (Jung, Symons, Mei, Verhelst, Benini: SALSA: Simulated Annealing based Loop-Ordering Scheduler for DNN
// Accelerators, AICAS 2023.)
#pragma once

#include "orders/problem.hpp"

namespace tilewright::orders {

/// One chain from a random order. The formula of the paper, exp((V - V') / T), would with energies in pJ never accept
/// anything worse; as in SALSA's code it is exp((V / V' - 1) / T) here.
Found anneal(const zigzag::OrderEvaluator& evaluator, const Objective& objective, const Cooling& cooling,
             std::uint64_t seed);

}  // namespace tilewright::orders
