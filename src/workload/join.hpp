// Several networks as one. Layers that would share a name get names of their own, so that files can speak of each.
//
//     const Network both = joined({zoo_network("alexnet"), zoo_network("resnet18")});   // "alexnet+resnet18"
//     both.layers[0].name                                                               // "alexnet/conv1"
#pragma once

#include <vector>

#include "workload/network.hpp"

namespace tilewright {

/// Layers of the same name in one network: the second is "NAME#2", the third "NAME#3".
void name_layers_apart(Network& network);

/// All layers, network after network. Layers of the same name in two networks are "NETWORK/NAME"; where that is not
/// enough, they are named apart as those of one network are. Requires at least one network.
Network joined(std::vector<Network> networks);

}  // namespace tilewright
