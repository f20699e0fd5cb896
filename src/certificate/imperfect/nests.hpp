// Imperfect nests: follows the loops of one assignment whose spatial factors may leave remainders. Internal to
// certificate/.
//
// All ways to build the nest from the compute units outwards make a graph. A label is all that bounds the cost of what
// is still to come; a step to the next one costs at least so much. The least partial_cost on the way to every label is
// known when the graph is built; going back from the end, all ways are listed whose partial_cost, step by step, may
// still beat the goal, and the model says what those nests really cost.
#pragma once

#include <functional>
#include <optional>

#include "certificate/common/goal.hpp"
#include "certificate/imperfect/charges.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/lean.hpp"

namespace tilewright::certificate {

struct ImperfectFinding {
    std::optional<Cost> open;  ///< none: nothing beats the goal; else the cost of what does, or a bound that does
    bool alone = false;        ///< the goal is out of reach even if every memory has its best tile
    bool too_many = false;     ///< there was too much to follow
    bool refuted = false;      ///< a nest costs less than its bound: the checker itself is wrong
};

ImperfectFinding follow_imperfect(const Mapspace& mapspace, ImperfectCharges& charges, const LeanEvaluator& evaluator,
                                  const Goal& goal, const std::function<bool()>& stop);

/// A nest, the bound that the way to it adds up to, and its cost.
using NestSink = std::function<void(const TilingPoint&, const Cost& bound, const Cost& real)>;

/// All nests of the assignment, each as often as there are ways to it; false: there are too many. For tests.
bool list_imperfect(const Mapspace& mapspace, ImperfectCharges& charges, const LeanEvaluator& evaluator,
                    const NestSink& sink);

}  // namespace tilewright::certificate
