// Imperfect nests: follows the loops of one assignment with spatial remainders. Internal to certificate/.
//
// All ways to build the nest from the compute units outwards form a graph. A label is the information needed to bound
// the rest; a step has a least cost. Least partial costs to every label are known once the graph is built; from the
// end, all ways are listed whose partial cost may still beat the goal, and the model costs those nests.
#pragma once

#include <cstdint>
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

// Imperfect window: an overlapping delivery, loop by loop, with spatial remainders. Internal to certificate/.
//
// Starts with the whole tile in every step; every loop subtracts the most its advances may save. An advance is
// disturbed if an instance was idle before it or changes its place in a repacking fan-out: the instance's words are
// then unknown, and all of the tile may be saved.

struct ImperfectWindowDelivery {
    std::int8_t tensor = 0;
    std::int8_t level = 0;
    Move widths{};         ///< of the tile, per rank
    Move means{};          ///< mean, for a rank of a single dimension
    Move missing{};        ///< most it may be narrower in last chunks
    Move slide{};          ///< shift by the first loop
    Move reset{};          ///< shift by the loops so far, undone by the next advance
    bool steady = true;    ///< all tiles have these widths
    bool uniform = true;   ///< before every outer advance the tile slid as by the first loop
    bool settled = false;  ///< no further savings
    Sent sent;
    Sent least;  ///< for any later loops

    auto operator<=>(const ImperfectWindowDelivery& other) const = default;
};

/// The loop of `dimension` with `factor` iterations is the first to move the tile, from `at` to `after`.
ImperfectWindowDelivery first_slide(const ImperfectCharges& charges, int t, int level, const Where& at,
                                    const Where& after, int dimension, double factor);

void slide_on(const ImperfectCharges& charges, const Where& at, const Where& after, int dimension, double factor,
              ImperfectWindowDelivery& window);

}  // namespace tilewright::certificate
