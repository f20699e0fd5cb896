// ExhaustiveMapper: costs every mapping of the space; reference of all other mappers on small spaces.
//
// Counts the mappings first, and refuses more than Budget::largest_space. Only evaluations, time and interruption end
// it early, no victory condition. SearchStatistics::sampled of a complete search is the size of the space. Mappings
// differing only in the order of loops that run once are one.
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
