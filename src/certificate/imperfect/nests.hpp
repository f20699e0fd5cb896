// Imperfect nests: follows the loops of one assignment with spatial remainders. Internal to certificate/.
//
// All ways to build the nest from the compute units outwards form a graph. A label is the information needed to bound
// the rest; a step has a least cost. Least partial costs to every label are known once the graph is built; from the
// end, all ways are listed whose partial cost may still beat the goal, and the model costs those nests.
#pragma once

#include <functional>
#include <optional>

#include "certificate/common/proof.hpp"
#include "certificate/imperfect/charges.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/lean.hpp"

namespace tilewright::certificate {

struct ImperfectFinding {
    std::optional<Cost> open;  ///< none: nothing beats the goal; else the cost of a better nest, or an insufficient
                               ///< bound
    bool alone = false;        ///< the goal is out of reach even if every memory has its best tile
    bool too_many = false;     ///< too many to follow
    bool refuted = false;      ///< a nest is cheaper than its bound: the checker itself is wrong
};

ImperfectFinding follow_imperfect(const Mapspace& mapspace, ImperfectCharges& charges, const LeanEvaluator& evaluator,
                                  const Goal& goal, const std::function<bool()>& stop);

/// A nest, the bound of its way, and its cost.
using NestSink = std::function<void(const TilingPoint&, const Cost& bound, const Cost& real)>;

/// All nests of the assignment, once per way to them; false: too many. For tests.
bool list_imperfect(const Mapspace& mapspace, ImperfectCharges& charges, const LeanEvaluator& evaluator,
                    const NestSink& sink);

}  // namespace tilewright::certificate
