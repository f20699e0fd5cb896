// LOMA and SALSA: searches over the order of temporal loops.
//
// The spatial loops are the few that use the array best (spatial_choices.hpp). Each dimension's rest is split into
// prime factors. An order of these, innermost first, is allocated from the innermost memory outwards: each memory
// keeping anything takes loops while the tiles fit and the constraints allow; prescribed factors come first. Every
// allowed tensor is kept if it fits.
//   loma   all distinct orders of at most `lpf_limit` factors (Symons, Mei, Verhelst: LOMA, AICAS 2021)
//   salsa  annealing over the orders of all factors (order_chain.hpp), or all of them if fewer
//
// Not every mapping is an allocated order: loops of one dimension at one memory merge, at the innermost one's place.
// The spatial loops that use a machine's array best. Internal to mapper/.
#pragma once

#include <vector>

#include "mapper/mapper.hpp"
#include "mapspace/mapspace.hpp"
#include "mapspace/order_chain.hpp"

namespace tilewright {

class LoopOrderMapper final : public Mapper {
   public:
    enum class Strategy { loma, salsa };
    struct Options {
        int lpf_limit = 6;               ///< loma: most factors to order, but one for each dimension
        std::int64_t iterations = 1000;  ///< salsa: of one chain
        std::int64_t chains = 1;         ///< salsa: for each choice of spatial loops
        Cooling cooling;                 ///< salsa
        int spatial_choices = 3;         ///< as in ZigZag
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

/// At most `most` points with different spatial loops, best first; other factors are 1. Ranked by compute units in use,
/// then by dimensions spread (ZigZag's indicator). If there are too many to list, random ones are added.
std::vector<TilingPoint> best_spatial_choices(const Mapspace& mapspace, int most);

}  // namespace tilewright
