// Imperfect graph: all nests of one assignment with spatial remainders, as labels and steps. Internal to certificate/.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/imperfect/charges.hpp"

namespace tilewright::certificate {

/// A step to a label: its predecessor, and the loop between (none at a store or a fan-out).
struct ImperfectEdge {
    static constexpr int kNone = -1;

    std::int32_t from = kNone;
    std::int32_t next = kNone;  ///< of the same label
    std::int16_t level = kNone;
    std::int16_t dimension = kNone;
    std::int32_t factor = 1;
    std::int32_t partial_cost = kNone;  ///< free
};

/// Minimum over all ways to a label; each number by itself.
struct ImperfectKnown {
    PartialCost least;
    double completion_pj = 0.0;  ///< lower bound
    double least_cycles = 0.0;   ///< of whole nests
    std::int32_t edges = ImperfectEdge::kNone;
};

struct ImperfectGraph {
    /// A label with all loops placed.
    struct End {
        std::int32_t label = 0;
        double steps = 1.0;
    };
    std::vector<ImperfectKnown> known;  ///< by label; the first is the start of all nests
    std::vector<ImperfectEdge> edges;
    std::vector<PartialCost> partial_costs;
    std::vector<End> ends;
};

}  // namespace tilewright::certificate
