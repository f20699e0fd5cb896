// Maps ZigZag's layers on ZigZag's machines: of every layer the best order of the temporal loops, from which the
// allocation to memories follows (zigzag/orders/problem.hpp), judged by ZigZag's accounting.
//
//     const report::ZigzagReport report = map_zigzag(problem);  // run/zigzag/problem.hpp: least energy, proven
//     std::cout << report::zigzag_text(report);
//
// Free functions on values: any number of threads may call them at once.
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

/// What loma, salsa and anneal leave open.
struct LoopOrderOptions {
    int lpf_limit = 6;                       ///< loma: prime factors to be ordered at most (but one for each dimension)
    std::optional<std::int64_t> iterations;  ///< of one chain of annealing; empty: 1000 for salsa, 20000 for anneal
    std::int64_t chains = 1;                 ///< annealing: independent runs, of which the best counts
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

/// What stands against these options, in one sentence, or "".
std::string problem_with(const ZigzagOptions& options);

/// Every layer's best mapping, or why there is none, and how it was found; all but the provenance and the notes about
/// the files. A layer of which the file gives the whole order is evaluated, not searched, as ZigZag does; a note says
/// so. The cache of `control` is not used. The answer is the same on any number of threads, but for a time limit and a
/// stop, after which `interrupted` is set. Throws InputError(usage) where problem_with(options) is not "", and what
/// evaluate_zigzag() throws.
report::ZigzagReport map_zigzag(const ZigzagProblem& problem, const ZigzagOptions& options = {},
                                const NetworkControl& control = {});

/// What has to be the same for the same answer, as provenance says it: mapper, objective, allocation, latency.
std::vector<std::pair<std::string, std::string>> provenance_options(const ZigzagOptions& options);

}  // namespace tilewright
