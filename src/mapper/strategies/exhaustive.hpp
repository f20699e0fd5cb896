// ExhaustiveMapper: costs every mapping of the space. The judge of every other mapper on small spaces.
//
// It first counts the mappings, and refuses a space of more than Budget::largest_space. Only the evaluations, the time
// and an interruption end it early: a victory condition does not. SearchStatistics::sampled of a whole search is the
// size of the space. Mappings that differ only in the order of loops that run once are one.
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

}  // namespace tilewright
