// HybridMapper: random tilings, each optimised locally. After Timeloop's hybrid search, with moves of factors between
// loops added to its sweep over permutations and bypasses.
//
// One start: (1) draw a mapping until one is valid, or shrink its tiles until it is; (2) sweep, level by level, the
// orders of its loops and the optional kept tensors until no single change helps; (3) anneal by Metropolis' rule: a
// factor moves to another loop, two factors swap, a loop changes place, a tensor is kept or dropped; (4) sweep again.
// Annealings are short at first, then ever longer: a good answer after a millisecond, a better one after a second.
// Starts are chunks, so the result does not depend on threads.
//
// With remainders the search begins among perfect factors, at a tenth of the cost per mapping; then every other start
// continues from the best, and the others from the assignments with the least bounds (optimal/space_bound.hpp). The
// least of these bounds limits the improvement left.
#pragma once

#include "mapper/mapper.hpp"

namespace tilewright {

class HybridMapper final : public Mapper {
   public:
    struct Options {
        int first_moves = 500;          ///< of the first annealings; every other one takes twice as many
        int moves = 50'000;             ///< limit of these
        double temperature = 0.6;       ///< of the logarithm of the score, at first; falls to 0 as a square
        double low_temperature = 0.06;  ///< the same for starts from the best
        /// With remainders: bound all mappings, start from the assignments of least bound.
        bool bounded = true;
    };

    HybridMapper() = default;
    explicit HybridMapper(const Options& options) : options_(options) {}

    std::string_view name() const override { return "hybrid"; }
    std::string_view description() const override {
        return "random tilings, each swept over loop orders and bypasses and improved by moving factors";
    }
    std::int64_t default_victory() const override { return 12'000; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;

   private:
    SearchResult search_remainders(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                   const Budget& budget, const ProgressCallback& progress) const;

    Options options_;
};

}  // namespace tilewright
