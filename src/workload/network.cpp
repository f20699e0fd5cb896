#include "workload/network.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "base/error.hpp"

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

namespace {

void rename_layer(Layer& layer, const std::string& name) {
    if (layer.own_name.empty()) layer.own_name = layer.name;
    layer.name = name;
}

void move_into(Network& all, Network next) {
    const int shift = static_cast<int>(all.layers.size());
    for (Layer& layer : next.layers)
        for (int& feeder : layer.feeds_from) feeder += shift;
    const auto append = [](auto& to, auto& from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    append(all.layers, next.layers);
    append(all.unmapped, next.unmapped);
    append(all.streamed, next.streamed);
    all.name += "+" + next.name;
}

}  // namespace

void name_layers_apart(Network& network) {
    std::set<std::string> taken;
    for (Layer& layer : network.layers) {
        std::string name = layer.name;
        for (int i = 2; !taken.insert(name).second; ++i) name = layer.name + "#" + std::to_string(i);
        if (name != layer.name) rename_layer(layer, name);
    }
}

Network joined(std::vector<Network> networks) {
    std::map<std::string, std::set<std::size_t>> networks_with;  // by layer name
    for (std::size_t i = 0; i < networks.size(); ++i)
        for (const Layer& layer : networks[i].layers) networks_with[layer.name].insert(i);
    for (Network& network : networks)
        for (Layer& layer : network.layers)
            if (networks_with[layer.name].size() > 1) rename_layer(layer, network.name + "/" + layer.name);
    Network all = std::move(networks.front());
    for (std::size_t i = 1; i < networks.size(); ++i) move_into(all, std::move(networks[i]));
    name_layers_apart(all);
    return all;
}

}  // namespace tilewright
