// What label setting returns.
#pragma once

#include <functional>
#include <optional>

#include "mapping/mapping.hpp"
#include "mapping/tiling_point.hpp"

namespace tilewright::optimal {

/// A complete nest of one assignment, at its least energy and cycles.
struct Nesting {
    TilingPoint point;              ///< of even stages
    std::optional<Mapping> uneven;  ///< of others
    double energy_pj = 0.0;         ///< without leakage
    double cycles = 0.0;            ///< without the latency of links
};

/// True when nothing that costs so much, or more, is of interest.
using Pruned = std::function<bool(double energy_pj, double cycles)>;

}  // namespace tilewright::optimal
