// The searches over loop orders, by name:
//   loma        all orders of at most `lpf_limit` prime factors (Symons, Mei, Verhelst: LOMA, AICAS 2021)
//   exhaustive  all orders of all prime factors
//   salsa       the faster by estimate: all orders, or annealing as published
//   anneal      the same with our annealing (anneal.hpp)
//   optimal     minimum energy over all orders, proven by branch and bound (optimal.hpp); other objectives: exhaustive
// Simulated annealing over loop orders: SALSA's, and a variant with a higher success rate.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "zigzag/orders/scorer.hpp"

namespace tilewright::orders {

/// The answer of a search, as a mapping.
struct Answer {
    std::vector<zigzag::TemporalLoop> order;  ///< innermost first; empty when none was found
    zigzag::UnevenMapping mapping;
    zigzag::OrderCost cost;
    Count orders = 0;    ///< of the searched loops; 0: too many to count
    std::string engine;  ///< "exhaustive", "annealing" or "branch and bound"
    std::int64_t evaluations = 0;
    std::int64_t fitting = 0;
    bool complete = false;  ///< no order of all prime factors is better
    bool interrupted = false;
    double seconds = 0.0;
    std::string failure;  ///< reason for a missing answer, or ""
};

struct Search {
    std::string_view name;
    std::string_view description;
    Answer (*run)(const OrderProblem&, const Settings&);
};

const std::vector<Search>& searches();

/// The search of that name, or null.
const Search* find_search(std::string_view name);

/// SALSA (mapspace/order_chain.hpp): swaps of two loops. One chain from a random order. Both stop early, as
/// interrupted, by the settings.
Found anneal_as_salsa(const Scorer& scorer, const Cooling& cooling, std::int64_t iterations, std::uint64_t seed,
                      const Settings& settings);

/// Ours: swaps of distinct loops only, sometimes of two neighbouring runs of equal loops; the temperature falls from 5
/// % to 0.3 % over any number of iterations.
Found anneal(const Scorer& scorer, std::int64_t iterations, std::uint64_t seed, const Settings& settings);

}  // namespace tilewright::orders
