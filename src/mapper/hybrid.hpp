// HybridMapper: random tilings, each brought to its best. In the manner of Timeloop's hybrid search, whose sweep over
// permutations and bypasses is followed here by moves of factors between loops.
//
// One start: (1) draw a mapping until one is valid, or make the tiles of one small until it is; (2) sweep, level by
// level, the orders of its loops and the free keep/bypass choices until no single change helps; (3) anneal: small
// random changes (a factor moves from one loop to another, two factors change places, a loop changes its place, a
// tensor is kept or not), where changes for the worse are accepted up to a tolerance that shrinks to nothing; (4) sweep
// again. Starts are chunks, so the result does not depend on threads.
//
// Where factors may leave remainders, all that is first done among the mappings without any, where a mapping costs a
// tenth of the time; then every other start goes on from the best of them.
#pragma once

#include "mapper/mapper.hpp"

namespace tilewright {

class HybridMapper final : public Mapper {
   public:
    struct Options {
        int moves = 50'000;             ///< of one annealing; fewer where the budget would end it early
        double first_tolerance = 0.25;  ///< share by which the first changes may be worse
    };

    HybridMapper() = default;
    explicit HybridMapper(const Options& options) : options_(options) {}

    std::string_view name() const override { return "hybrid"; }
    std::string_view description() const override {
        return "random tilings, each swept over loop orders and bypasses and improved by moving factors";
    }
    std::int64_t default_victory() const override { return 200'000; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;

   private:
    SearchResult search_remainders(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                   const Budget& budget, const ProgressCallback& progress) const;

    Options options_;
};

}  // namespace tilewright
