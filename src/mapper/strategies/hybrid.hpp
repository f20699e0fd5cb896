// HybridMapper: random tilings, each brought to its best. In the manner of Timeloop's hybrid search, whose sweep over
// permutations and bypasses is followed here by moves of factors between loops.
//
// One start: (1) draw a mapping until one is valid, or make the tiles of one small until it is; (2) sweep, level by
// level, the orders of its loops and the free keep/bypass choices until no single change helps; (3) anneal by
// Metropolis' rule: a factor moves from one loop to another, two factors change places, a loop changes its place, a
// tensor is kept or not; (4) sweep again. The first starts anneal for a short time, later ones ever longer, so that
// there is a good answer after a millisecond and a better one after a second. Starts are chunks, so the result does
// not depend on threads.
//
// Where factors may leave remainders, all that is first done among the mappings without any, where a mapping costs a
// tenth of the time; then every other start goes on from the best of them, and the others from the spatial factors and
// kept tensors that the bounds of all assignments promise most of (optimal/space_bound.hpp). The least of these bounds
// says how much better another mapping could be.
#pragma once

#include "mapper/mapper.hpp"

namespace tilewright {

class HybridMapper final : public Mapper {
   public:
    struct Options {
        int first_moves = 500;          ///< of the first annealings; every other one takes twice as many
        int moves = 50'000;             ///< but never more than these
        double temperature = 0.6;       ///< of the logarithm of the score, at first; falls to 0 as a square
        double low_temperature = 0.06;  ///< the same of starts that go on from the best
        /// Where factors may leave remainders: bound all mappings, and start from the assignments that promise most.
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
