// ExhaustiveMapper: costs every mapping of the space; reference of all other mappers on small spaces.
//
// Counts the mappings first, and refuses more than Budget::largest_space. Only evaluations, time and interruption end
// it early, no victory condition. SearchStatistics::sampled of a complete search is the size of the space. Mappings
// differing only in the order of loops that run once are one.
// LinearPrunedMapper: walks the mapspace from its beginning, after Timeloop's linear-pruned search: tilings outermost,
// then the axes of spatial loops, orders of temporal loops, bypasses.
//
// Pruned are orders of loops that run once and, for all orders of a tiling at once, choices of kept tensors that do not
// fit; a tiling without a fitting choice is left at once. Timeloop begins with the largest tiles, this walk with the
// smallest, which fit.
// RandomMapper: draws mappings independently and keeps the best; baseline of all other mappers.
#pragma once

#include "mapper/mapper.hpp"

namespace tilewright {

class ExhaustiveMapper final : public Mapper {
   public:
    std::string_view name() const override { return "exhaustive"; }
    std::string_view description() const override { return "costs every mapping of a small space"; }
    std::int64_t default_victory() const override { return 0; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;
};

class LinearPrunedMapper final : public Mapper {
   public:
    std::string_view name() const override { return "linear-pruned"; }
    std::string_view description() const override {
        return "walks the space from its beginning, leaving out what cannot fit";
    }
    std::int64_t default_victory() const override { return 1'000'000; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;
};

class RandomMapper final : public Mapper {
   public:
    std::string_view name() const override { return "random"; }
    std::string_view description() const override { return "draws mappings independently and keeps the best"; }
    std::int64_t default_victory() const override { return 1'000'000; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;
};

}  // namespace tilewright
