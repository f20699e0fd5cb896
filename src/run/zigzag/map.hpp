// Maps ZigZag's layers on ZigZag's machines: the best order of every layer's temporal loops, with the allocation to
// memories derived from it (zigzag/orders/scorer.hpp), by ZigZag's accounting.
//
//     const report::ZigzagReport report = map_zigzag(problem);  // run/zigzag/problem.hpp: least energy, proven
//     std::cout << report::zigzag_text(report);
//
// Free functions on values; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mapspace/order_chain.hpp"
#include "report/zigzag.hpp"
#include "run/map_network.hpp"
#include "run/options.hpp"
#include "run/zigzag/evaluate.hpp"
#include "run/zigzag/problem.hpp"

namespace tilewright {

/// Options of loma, salsa and anneal.
struct LoopOrderOptions {
    int lpf_limit = 6;                       ///< loma: most prime factors to order (but one for each dimension)
    std::optional<std::int64_t> iterations;  ///< of one chain of annealing; empty: 1000 for salsa, 20000 for anneal
    std::int64_t chains = 1;                 ///< annealing: independent runs; the best counts
    Cooling cooling;                         ///< salsa
};

struct ZigzagOptions {
    ZigzagOptions() { map.objective.kind = ObjectiveKind::energy; }

    /// The mapper is loma, salsa, anneal, exhaustive, optimal or automatic: optimal for energies, anneal for other
    /// objectives. largest_space counts orders. Factor rules, evaluations, victory and `uneven` have no meaning here.
    MapOptions map;
    LoopOrderOptions orders;
    ZigzagAccounting accounting;
};

/// A conflict in these options, in one sentence, or "".
std::string problem_with(const ZigzagOptions& options);

/// Every layer's best mapping with its search, or the reason for its failure; without provenance and notes about the
/// files. A layer with its whole order in the file is evaluated, not searched, as in ZigZag; a note says so. The cache
/// of `control` is not used. Any number of threads gives the same answer, but for a time limit and a stop, which set
/// `interrupted`. Throws InputError(usage) unless problem_with(options) is "", and as evaluate_zigzag().
report::ZigzagReport map_zigzag(const ZigzagProblem& problem, const ZigzagOptions& options = {},
                                const NetworkControl& control = {});

/// All inputs that decide the answer, for provenance: mapper, objective, allocation, latency.
std::vector<std::pair<std::string, std::string>> provenance_options(const ZigzagOptions& options);

}  // namespace tilewright
