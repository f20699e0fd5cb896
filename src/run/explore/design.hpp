// The designs of an exploration by mapping: what a point of the space is as a machine, a network and a search.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "explore/space.hpp"
#include "run/map_network.hpp"

namespace tilewright {

/// One point, ready to be mapped.
struct Design {
    explore::Point point = 0;
    Architecture architecture;
    NetworkProblem problem;
    MapOptions options;
    std::vector<std::pair<Layer, Mapping>> given;  ///< with given mappings: every layer with its own, and no problem
    std::string failure;                           ///< why there is no such design; then there is nothing else
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
