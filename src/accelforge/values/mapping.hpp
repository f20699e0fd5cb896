// AccelForge's mapping: a tree of stores, loops and branches, outermost first. Values; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace tilewright::accelforge {

struct MappingNode {
    enum class Kind {
        storage,   ///< tensors in `component`
        toll,      ///< tensors past `component`
        temporal,  ///< `variable` in steps of `tile_shape`
        spatial,   ///< the same across the fan-out `dimension` of `component`
        split,     ///< branches in sequence
        compute,   ///< `einsum` on `component`; ends its branch
    };
    Kind kind = Kind::storage;
    std::vector<std::string> tensors;
    std::string component;
    std::string variable;
    std::string dimension;
    std::string einsum;
    double tile_shape = 1.0;
    bool persistent = false;
    std::vector<std::vector<MappingNode>> branches;
    Location where;
};

struct MappingTree {
    std::vector<MappingNode> nodes;
    Location where;
};

}  // namespace tilewright::accelforge
