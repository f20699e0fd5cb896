#include "mapper/by_name/by_name.hpp"

#include "mapper/cosa/cosa.hpp"
#include "mapper/loop_orders.hpp"
#include "mapper/optimal/optimal.hpp"
#include "mapper/strategies/anneal.hpp"
#include "mapper/strategies/exhaustive.hpp"
#include "mapper/strategies/genetic.hpp"
#include "mapper/strategies/hybrid.hpp"
#include "mapper/timeloop/timeloop.hpp"

namespace tilewright {

std::unique_ptr<Mapper> make_mapper(std::string_view name) {
    if (name == "optimal") return std::make_unique<OptimalMapper>();
    if (name == "random") return std::make_unique<RandomMapper>();
    if (name == "hybrid") return std::make_unique<HybridMapper>();
    if (name == "linear-pruned") return std::make_unique<LinearPrunedMapper>();
    if (name == "exhaustive") return std::make_unique<ExhaustiveMapper>();
    if (name == "anneal") return std::make_unique<AnnealMapper>();
    if (name == "genetic") return std::make_unique<GeneticMapper>();
    if (name == "loma") return std::make_unique<LoopOrderMapper>(LoopOrderMapper::Strategy::loma);
    if (name == "salsa") return std::make_unique<LoopOrderMapper>(LoopOrderMapper::Strategy::salsa);
    if (name == "cosa") return std::make_unique<CosaMapper>();
    return make_timeloop_mapper(name);
}

std::vector<std::string> mapper_names() {
    std::vector<std::string> names{"optimal",       "hybrid",     "anneal", "genetic", "random",
                                   "linear-pruned", "exhaustive", "loma",   "salsa",   "cosa"};
    for (const std::string_view name : timeloop_mapper_names()) names.emplace_back(name);
    return names;
}

}  // namespace tilewright
