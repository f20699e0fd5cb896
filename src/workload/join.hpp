// Several networks as one, with unique layer names for files to refer to.
//
//     const Network both = joined({zoo_network("alexnet"), zoo_network("resnet18")});   // "alexnet+resnet18"
//     both.layers[0].name                                                               // "alexnet/conv1"
#pragma once

#include <vector>

#include "workload/network.hpp"

namespace tilewright {

/// Layers of the same name in one network: the second is "NAME#2", the third "NAME#3".
void name_layers_apart(Network& network);

/// All layers, network after network. Equal names in two networks become "NETWORK/NAME", and if that is not enough, are
/// numbered as in one network. Requires at least one network.
Network joined(std::vector<Network> networks);

}  // namespace tilewright
