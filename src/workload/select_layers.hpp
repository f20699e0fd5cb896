// Some layers of a network, by their names.
//
//     const Network first = select_layers(zoo_network("resnet50"), {"conv1", "layer1.*"});
// Several networks as one, with unique layer names for files to refer to.
//
//     const Network both = joined({zoo_network("alexnet"), zoo_network("resnet18")});   // "alexnet+resnet18"
//     both.layers[0].name                                                               // "alexnet/conv1"
#pragma once

#include <string>
#include <vector>

#include "workload/network.hpp"

namespace tilewright {

/// Matches of shell patterns ("conv*") among `names`; no patterns: all. Throws InputError(unknown_name), with the
/// nearest name, for a pattern without a match; `network` is for the message.
std::vector<bool> matching_layers(const std::vector<std::string>& names, const std::vector<std::string>& patterns,
                                  const std::string& network);
/// The same for a network's layers: by their names, and by their original names.
std::vector<bool> matching_layers(const Network& network, const std::vector<std::string>& patterns);

/// The network of the matching layers, in order; without producer links, as some producers may be gone.
Network select_layers(const Network& network, const std::vector<std::string>& patterns);

/// Layers of the same name in one network: the second is "NAME#2", the third "NAME#3".
void name_layers_apart(Network& network);

/// All layers, network after network. Equal names in two networks become "NETWORK/NAME", and if that is not enough, are
/// numbered as in one network. Requires at least one network.
Network joined(std::vector<Network> networks);

}  // namespace tilewright
