#include "workload/network.hpp"

#include <algorithm>

namespace tilewright {

std::vector<DistinctLayer> distinct_layers(const Network& network) {
    std::vector<DistinctLayer> distinct;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const Layer& layer = network.layers[i];
        auto same = std::find_if(distinct.begin(), distinct.end(), [&](const DistinctLayer& other) {
            return other.einsum.dimensions == layer.einsum.dimensions && other.einsum.tensors == layer.einsum.tensors;
        });
        if (same == distinct.end()) same = distinct.insert(distinct.end(), DistinctLayer{layer.einsum, {}, 0});
        same->layers.push_back(static_cast<int>(i));
        same->repeats += layer.repeats;
    }
    return distinct;
}

}  // namespace tilewright
