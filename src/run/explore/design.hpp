// The designs of an exploration by mapping: what a point of the space is as a machine, a network and a search.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explore/space.hpp"
#include "run/fused/fusing.hpp"
#include "run/map_network.hpp"

namespace tilewright {

/// A layer with its mapping.
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
    std::optional<FusedProblem> fused = {};  ///< in place of the problem's layers: a cascade, mapped as a whole
    std::vector<FixedMapping> given;         ///< with given mappings: every layer with its own, and no problem
    std::string failure;                     ///< why there is no such design; then there is nothing else
};

/// Makes the designs. Called by one thread at a time.
class DesignSource {
   public:
    virtual ~DesignSource() = default;
    virtual Design design(explore::Point point) = 0;
    /// How designs are mapped, but for what the knobs say.
    virtual const MapOptions& options() const = 0;
};

}  // namespace tilewright
