// Some layers of a network, by their names.
//
//     const Network first = select_layers(zoo_network("resnet50"), {"conv1", "layer1.*"});
#pragma once

#include <string>
#include <vector>

#include "workload/network.hpp"

namespace tilewright {

/// Which of `names` a pattern as of shells ("conv*") matches; of no patterns: all. Throws InputError(unknown_name),
/// with the nearest name, for a pattern that matches none; `network` stands in the message.
std::vector<bool> matching_layers(const std::vector<std::string>& names, const std::vector<std::string>& patterns,
                                  const std::string& network);
/// The same of the layers of a network: by their names, and by what they are called in a network of their own.
std::vector<bool> matching_layers(const Network& network, const std::vector<std::string>& patterns);

/// The network of the layers that match, in its order; who feeds them is forgotten, as some of those may be gone.
Network select_layers(const Network& network, const std::vector<std::string>& patterns);

}  // namespace tilewright
