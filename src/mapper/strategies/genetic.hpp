// GeneticMapper: the genetic algorithm of GAMMA (Kao and Krishna, ICCAD 2020) with its operators and rates, on our
// mappings.
//
// crossover  a child takes from its second parent the factors of one dimension, the order of one memory's loops, or
//            what one memory keeps
// mutation   up to three times: a factor moves, a spatial loop turns, a tensor is kept or not
// reorder    two loops of a memory change places
// growth     one more dimension runs in parallel
// aging      one less
//
// A chunk is one population, from random mappings through its generations; populations do not meet.
#pragma once

#include "mapper/mapper.hpp"

namespace tilewright {

class GeneticMapper final : public Mapper {
   public:
    struct Options {
        int population = 100;
        int generations = 100;  ///< fewer under a small budget
        double elite = 0.05;    ///< share surviving unchanged
        double parents = 0.15;  ///< share with children
        double crossover = 0.57;
        double mutation = 0.52;
        double reorder = 0.47;
        double growth = 0.57;
        double aging = 0.27;
    };

    GeneticMapper() = default;
    explicit GeneticMapper(const Options& options) : options_(options) {}

    std::string_view name() const override { return "genetic"; }
    std::string_view description() const override {
        return "GAMMA's genetic algorithm: crossover, mutation, reorder, growth and aging";
    }
    std::int64_t default_victory() const override { return 200'000; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;

   private:
    Options options_;
};

}  // namespace tilewright
