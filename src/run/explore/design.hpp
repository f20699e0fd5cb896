// Designs of an exploration by mapping: a point of the space as a machine, a network and a search.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explore/space.hpp"
#include "run/fused/fusing.hpp"
#include "run/map_network.hpp"

namespace tilewright {

struct FixedMapping {
    Layer layer;
    Mapping mapping;
    LayerDetails details;
};

/// One point, ready to be mapped.
struct Design {
    explore::Point point = 0;
    Architecture architecture;
    NetworkProblem problem;
    MapOptions options;
    std::optional<FusedProblem> fused = {};  ///< instead of the problem's layers: a cascade, mapped as a whole
    std::vector<FixedMapping> given;         ///< with given mappings: every layer with its own, and no problem
    std::string failure;                     ///< reason for its absence; all else is empty then
};

/// Makes the designs. Called by one thread at a time.
class DesignSource {
   public:
    virtual ~DesignSource() = default;
    virtual Design design(explore::Point point) = 0;
    /// Options of mapping, except the knobs'.
    virtual const MapOptions& options() const = 0;
};

}  // namespace tilewright
