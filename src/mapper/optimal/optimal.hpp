// The optimal mapper: a mapping of least cost in its mapspace, with a proof. docs/optimal.md.
#pragma once

#include "mapper/mapper.hpp"

namespace tilewright {

class OptimalMapper : public Mapper {
   public:
    struct Options {
        /// Evaluations of `hybrid` at the start: a good mapping saves most of the work. 0: none.
        std::int64_t warm_up = 3000;
        /// Searches uneven mappings (mapping/uneven.hpp) too: the mapspace's spatial loops and kept tensors, with any
        /// temporal loops allowed by the constraints of the memory owning each.
        bool uneven = false;
        /// Step limit (labels made, layouts compared): minutes, but independent of the machine, as is the answer.
        /// Beyond it the answer is the best mapping and a bound.
        std::int64_t steps = 500'000'000;
    };
    /// The proof is expected within seconds per layer: perfect factors, or spatial remainders with few assignments.
    static bool is_quick(const Mapspace& mapspace);

    OptimalMapper() = default;
    explicit OptimalMapper(const Options& options) : options_(options) {}

    std::string_view name() const override { return "optimal"; }
    std::string_view description() const override {
        return "the best mapping of all, with proof: bounds what is left open and follows the rest to its end";
    }
    std::int64_t default_victory() const override { return 0; }
    bool is_uneven() const override { return options_.uneven; }

    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress) const override;

   private:
    Options options_;
};

}  // namespace tilewright
