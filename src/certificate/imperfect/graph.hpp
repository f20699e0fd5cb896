// Imperfect graph: all ways to build a nest of one assignment whose spatial factors may leave remainders, as labels and
// the steps between them. Internal to certificate/.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/imperfect/charges.hpp"

namespace tilewright::certificate {

/// A way to a label: the label before, and the loop in between (none where a store or a fan-out is crossed).
struct ImperfectEdge {
    static constexpr int kNone = -1;

    std::int32_t from = kNone;
    std::int32_t next = kNone;  ///< of the same label
    std::int16_t level = kNone;
    std::int16_t dimension = kNone;
    std::int32_t factor = 1;
    std::int32_t partial_cost = kNone;  ///< free
};

/// Of all ways to a label; each number by itself.
struct ImperfectKnown {
    PartialCost least;
    double completion_pj = 0.0;  ///< at least
    double least_cycles = 0.0;   ///< of whole nests
    std::int32_t edges = ImperfectEdge::kNone;
};

struct ImperfectGraph {
    /// A label in which all loops are placed.
    struct End {
        std::int32_t label = 0;
        double steps = 1.0;
    };
    std::vector<ImperfectKnown> known;  ///< by label; the first one is where all nests begin
    std::vector<ImperfectEdge> edges;
    std::vector<PartialCost> partial_costs;
    std::vector<End> ends;
};

}  // namespace tilewright::certificate
