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

std::vector<bool> matching_layers(const Network& network, const std::vector<std::string>& patterns) {
    const std::size_t count = network.layers.size();
    std::vector<std::string> names;
    names.reserve(2 * count);
    for (const Layer& layer : network.layers) names.push_back(layer.name);
    for (const Layer& layer : network.layers) names.push_back(layer.own_name.empty() ? layer.name : layer.own_name);
    std::vector<bool> matching = matching_layers(names, patterns, network.name);
    for (std::size_t i = 0; i < count; ++i) matching[i] = matching[i] || matching[count + i];
    matching.resize(count);
    return matching;
}

Network select_layers(const Network& network, const std::vector<std::string>& patterns) {
    if (patterns.empty()) return network;
    const std::vector<bool> matching = matching_layers(network, patterns);
    Network selected{network.name, {}, network.unmapped, {}};
    for (std::size_t i = 0; i < matching.size(); ++i) {
        if (!matching[i]) continue;
        selected.layers.push_back(network.layers[i]);
        selected.layers.back().feeds_from.clear();
    }
    return selected;
}

}  // namespace tilewright
