// Question: the input of one search and the values derived from it.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/deadline.hpp"
#include "mapper/chunks.hpp"
#include "mapper/optimal/answer/judge.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::optimal {

/// Keeps references.
struct Question {
    Question(const Mapspace& the_mapspace, const LeanEvaluator& the_evaluator, const Objective& the_objective,
             const Budget& the_budget, bool is_uneven, std::int64_t the_steps)
        : mapspace(the_mapspace),
          evaluator(the_evaluator),
          objective(the_objective),
          budget(the_budget),
          uneven(is_uneven),
          most_steps(the_steps),
          judge(the_objective),
          setup(the_evaluator.einsum(), the_evaluator.architecture(), the_evaluator.prices()),
          begin(std::chrono::steady_clock::now()),
          interrupt(the_budget.stop, deadline()) {}

    /// Bound of nests with so many time steps of the slowest memory or of the units: cycles rounded up, with leakage.
    Bound bound_of(double leak_pj_per_cycle, double energy_pj, double cycles) const {
        const double whole = std::ceil(cycles * setup.busy * kClose);
        return {energy_pj + leak_pj_per_cycle * whole, whole + static_cast<double>(setup.link_latency_cycles)};
    }
    bool stop() const { return interrupt.requested(); }
    /// Stop function of walks polling every `each` steps: counts them, stops beyond the search's step limit.
    std::function<bool()> counting(std::int64_t& steps, std::int64_t each = 64) const {
        return [this, &steps, each] {
            steps += each;
            return steps > most_steps || stop();
        };
    }

    const Mapspace& mapspace;
    const LeanEvaluator& evaluator;
    const Objective objective;
    const Budget& budget;
    const bool uneven;
    const std::int64_t most_steps;
    const Judge judge;
    const lean::Setup setup;
    const std::chrono::steady_clock::time_point begin;
    const Interrupt interrupt;

   private:
    Deadline deadline() const { return deadline_after(begin, budget.time); }
};

}  // namespace tilewright::optimal
