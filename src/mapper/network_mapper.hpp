// Maps a whole network: every distinct layer once.
//
// Layers are searched one after the other, each on all threads, with the same seed: a layer's mapping does not depend
// on the network it is found in, nor on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapper/mapper.hpp"
#include "mapspace/constraints.hpp"
#include "workload/network.hpp"

namespace tilewright {

struct MappedLayer {
    DistinctLayer layer;
    SearchResult result;
    std::string mapspace_problem;  ///< why the constraints leave no mapping of this layer, or ""
};

struct NetworkMapping {
    std::vector<MappedLayer> layers;  ///< in the order of distinct_layers()
    /// Sums over the layers that have a mapping, times their repeats; layers run one after the other.
    double energy_pj = 0.0;
    double cycles = 0.0;
    bool complete = true;  ///< every layer has a mapping
    double seconds = 0.0;
};

/// A report while the layers are searched.
struct NetworkProgress {
    std::size_t index = 0;  ///< of the layer at hand
    std::size_t count = 0;
    const DistinctLayer* layer = nullptr;
    const Progress* search = nullptr;      ///< empty: the layer is done
    const SearchResult* result = nullptr;  ///< empty: the layer is being searched
};

using ConstraintsOf = std::function<Constraints(const Einsum&)>;
using NetworkProgressCallback = std::function<void(const NetworkProgress&)>;

/// `budget` is each layer's, except that its time is the whole network's: every layer gets an equal share of what is
/// left. After an interruption the remaining layers stay without a mapping.
NetworkMapping map_network(const Network& network, const Architecture& architecture,
                           const ConstraintsOf& constraints_of, const Mapper& mapper, const Objective& objective,
                           const Budget& budget, const NetworkProgressCallback& progress = {});

}  // namespace tilewright
