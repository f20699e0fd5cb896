// LOMA and SALSA on our machines: searches over the order of the temporal loops, from which the rest follows.
//
// The spatial loops are those that use the array best, a few of them (spatial_choices.hpp). What is left of every
// dimension is split into prime factors. An order of these, innermost first, is allocated from the innermost memory
// outwards: each memory that keeps something takes loops as long as the tiles fit and the constraints allow them there;
// factors that constraints prescribe are dealt out first. Tensors are kept wherever they may be, as far as they fit.
//   loma   all distinct orders of at most `lpf_limit` factors (Symons, Mei, Verhelst: LOMA, AICAS 2021)
//   salsa  annealing over the orders of all factors (order_chain.hpp), or all of them where they are fewer
//
// Not every mapping is an allocated order. Loops of one dimension that meet at one memory become one loop there, where
// the innermost of them was.
#pragma once

#include "mapper/mapper.hpp"
#include "mapspace/order_chain.hpp"

namespace tilewright {

class LoopOrderMapper final : public Mapper {
   public:
    enum class Strategy { loma, salsa };
    struct Options {
        int lpf_limit = 6;               ///< loma: factors to be ordered at most, but one for each dimension
        std::int64_t iterations = 1000;  ///< salsa: of one chain
        std::int64_t chains = 1;         ///< salsa: for each choice of spatial loops
        Cooling cooling;                 ///< salsa
        int spatial_choices = 3;         ///< as many as ZigZag tries
    };

    explicit LoopOrderMapper(Strategy strategy) : strategy_(strategy) {}
    LoopOrderMapper(Strategy strategy, const Options& options) : strategy_(strategy), options_(options) {}

    std::string_view name() const override { return strategy_ == Strategy::loma ? "loma" : "salsa"; }
    std::string_view description() const override {
        return strategy_ == Strategy::loma ? "all orders of a limited number of prime factors, allocated upwards"
                                           : "annealing over the orders of all prime factors, allocated upwards";
    }
    std::int64_t default_victory() const override { return 0; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;

   private:
    Strategy strategy_;
    Options options_;
};

}  // namespace tilewright
