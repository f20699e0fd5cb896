// AnnealMapper: simulated annealing after SALSA, whose one move swaps two prime factors of the nest. Here factors move
// and swap between memories, loops swap places, spatial loops turn, tensors are kept or dropped.
//
// A chunk is one annealing from a random valid mapping. A worse mapping is accepted with Metropolis' probability exp(-d
// / T), d being the growth of the score's logarithm: the score's scale does not matter. T falls geometrically.
#pragma once

#include "mapper/mapper.hpp"

namespace tilewright {

class AnnealMapper final : public Mapper {
   public:
    struct Options {
        int moves = 30'000;  ///< of one annealing; fewer under a small budget
        double first_temperature = 0.3;
        double last_temperature = 0.0005;
    };

    AnnealMapper() = default;
    explicit AnnealMapper(const Options& options) : options_(options) {}

    std::string_view name() const override { return "anneal"; }
    std::string_view description() const override {
        return "simulated annealing over swaps and moves of factors and loops";
    }
    std::int64_t default_victory() const override { return 200'000; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;

   private:
    Options options_;
};

}  // namespace tilewright
