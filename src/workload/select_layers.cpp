#include "workload/select_layers.hpp"

#include <fnmatch.h>

#include "base/error.hpp"

namespace tilewright {

std::vector<bool> matching_layers(const std::vector<std::string>& names, const std::vector<std::string>& patterns,
                                  const std::string& network) {
    std::vector<bool> matching(names.size(), patterns.empty());
    for (const std::string& pattern : patterns) {
        bool matched = false;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (fnmatch(pattern.c_str(), names[i].c_str(), 0) != 0) continue;
            matching[i] = matched = true;
        }
        if (!matched)
            throw InputError(ErrorCode::unknown_name, {},
                             network + " has no layer '" + pattern + "'" + did_you_mean(pattern, names));
    }
    return matching;
}

Network select_layers(const Network& network, const std::vector<std::string>& patterns) {
    if (patterns.empty()) return network;
    std::vector<std::string> names;
    names.reserve(network.layers.size());
    for (const Layer& layer : network.layers) names.push_back(layer.name);
    const std::vector<bool> matching = matching_layers(names, patterns, network.name);
    Network selected{network.name, {}, network.unmapped, {}};
    for (std::size_t i = 0; i < matching.size(); ++i) {
        if (!matching[i]) continue;
        selected.layers.push_back(network.layers[i]);
        selected.layers.back().feeds_from.clear();
    }
    return selected;
}

}  // namespace tilewright
