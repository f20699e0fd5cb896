// RandomMapper: draws mappings independently and keeps the best; baseline of all other mappers.
#pragma once

#include "mapper/mapper.hpp"

namespace tilewright {

class RandomMapper final : public Mapper {
   public:
    std::string_view name() const override { return "random"; }
    std::string_view description() const override { return "draws mappings independently and keeps the best"; }
    std::int64_t default_victory() const override { return 1'000'000; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;
};

}  // namespace tilewright
