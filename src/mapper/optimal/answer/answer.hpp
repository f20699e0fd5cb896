// Answer: the best mappings found so far, and the lower bound of the mappings left out.
// Question: the input of one search and the values derived from it.
// Judge: compares a lower bound with the best mapping.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "base/deadline.hpp"
#include "mapper/chunks.hpp"
#include "mapper/mapper.hpp"
#include "mapper/optimal/geometry/layouts.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::optimal {

/// Sums in another order differ in the last bits: energies this close count as equal.
inline constexpr double kClose = 1.0 - 1e-12;

/// The best mapping of earlier batches: the same for all assignments of a batch, for any number of threads.
struct Incumbent {
    Score score;
    std::vector<FrontPoint> front;  ///< Pareto search only
};

/// Lower bound of a set of mappings.
struct Bound {
    double energy_pj = 0.0;  ///< with leakage
    double cycles = 0.0;     ///< with the latency of links
};

class Judge {
   public:
    explicit Judge(const Objective& objective) : objective_(objective) {}

    Score score(const Bound& bound) const { return objective_.score(bound.energy_pj, bound.cycles); }

    /// No mapping with this bound is better than the incumbent.
    bool pruned(const Bound& bound, const Incumbent& incumbent) const;

    /// Energy from which every mapping of at least so many cycles is pruned, with room for rounding; or infinite.
    double limit_pj(double cycles, const Incumbent& incumbent) const;

    /// The incumbent is so far above the bound that it would prune few labels.
    bool is_far(const Bound& bound, const Incumbent& incumbent) const;

   private:
    Objective objective_;
};

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

struct Outcome {
    std::vector<Nesting> nests;
    std::vector<LeanCost> costs;
    Score open;  ///< lower bound of the mappings not evaluated
    bool finished = true;
    std::int64_t steps = 0;
    bool unsettled = false;  ///< to be searched further if this assignment may beat the best mapping
};

class Answer {
   public:
    /// Keeps references to both.
    Answer(const Question& question, const ProgressCallback& progress) : question_(question), progress_(progress) {}

    bool is_there() const { return result_.best.has_value(); }
    const Score& score() const { return result_.score; }
    const SearchStatistics& statistics() const { return result_.statistics; }
    Incumbent incumbent() const { return {result_.best ? result_.score : Score{}, front_.points()}; }
    /// The best mapping has more cycles than steps.
    bool is_throttled() const;

    void begin_with(const SearchResult& found);
    /// As begin_with(), without its evaluation count.
    void offer(const SearchResult& found);
    void take(const Outcome& outcome);
    /// A later search's result, with its evaluation count.
    void take(const SearchResult& found);
    void leave_open(const Score& score) { open_ = std::min(open_, score); }

    /// Reports progress. `remaining`: lower bound of the candidates left.
    void tell(double remaining);
    /// `all_listed`: every mapping left out is covered by a bound.
    SearchResult finish(bool all_listed);

   private:
    void offer(const FoundMapping& mapping, const LeanCost& cost);
    bool nothing_better_is_open() const;

    const Question& question_;
    const ProgressCallback& progress_;
    SearchResult result_;
    Front front_;
    Score open_;
    bool improved_ = false;
};

}  // namespace tilewright::optimal
