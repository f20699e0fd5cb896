// A mapping that was read, and the layer of a network that it is of.
#pragma once

#include "mapping/mapping.hpp"
#include "mapping/text.hpp"

namespace tilewright {

struct LayerMapping {
    int layer = 0;  ///< index into Network::layers
    Mapping mapping;
    MappingPlaces places;  ///< where it was written
};

}  // namespace tilewright
