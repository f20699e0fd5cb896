// LinearPrunedMapper: walks the mapspace from its beginning, in the manner of Timeloop's linear-pruned search: tilings
// outside, then the axes of spatial loops, then orders of temporal loops, then bypasses.
//
// Pruned are the orders of loops that run once, and, once and for all orders of a tiling, the ways to keep tensors that
// do not fit; a tiling where none fits is left at once. Where Timeloop begins with the largest tiles, this walk begins
// with the smallest, which fit.
#pragma once

#include "mapper/mapper.hpp"

namespace tilewright {

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

}  // namespace tilewright
