// Result of label setting.
#pragma once

#include <functional>
#include <optional>

#include "mapping/mapping.hpp"
#include "mapping/tiling_point.hpp"

namespace tilewright::optimal {

/// A complete nest of one assignment, with its least energy and cycles.
struct Nesting {
    TilingPoint point;              ///< of even stages
    std::optional<Mapping> uneven;  ///< of uneven stages
    double energy_pj = 0.0;         ///< without leakage
    double cycles = 0.0;            ///< without the latency of links
};

/// True if every nest of at least this cost is of no interest.
using Pruned = std::function<bool(double energy_pj, double cycles)>;

}  // namespace tilewright::optimal
