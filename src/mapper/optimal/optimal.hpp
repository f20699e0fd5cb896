// The optimal mapper: a mapping that no other one of its mapspace beats, with a proof. docs/optimal.md.
#pragma once

#include "mapper/mapper.hpp"

namespace tilewright {

class OptimalMapper : public Mapper {
   public:
    struct Options {
        /// Evaluations of `hybrid` to begin with: a good mapping to start from saves most of the work. 0: none.
        std::int64_t warm_up = 3000;
        /// Search uneven mappings (mapping/uneven.hpp) too: all that have the mapspace's spatial loops and kept
        /// tensors, and whose temporal loops the constraints allow when each counts for the memory that owns it.
        bool uneven = false;
        /// It tells its best and a bound after so many steps: labels made, layouts compared. Minutes, but a number that
        /// does not depend on the machine, so the answer does not, either.
        std::int64_t steps = 500'000'000;
    };
    /// Whether its proof may be expected within seconds a layer: nothing leaves a remainder, or only spatial factors do
    /// and there are not many ways to choose those and the tensors that memories keep.
    static bool is_quick(const Mapspace& mapspace);

    OptimalMapper() = default;
    explicit OptimalMapper(const Options& options) : options_(options) {}

    std::string_view name() const override { return "optimal"; }
    std::string_view description() const override {
        return "the best mapping of all, with proof: bounds what is left open and follows the rest to its end";
    }
    std::int64_t default_victory() const override { return 0; }

    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress) const override;

   private:
    Options options_;
};

}  // namespace tilewright
