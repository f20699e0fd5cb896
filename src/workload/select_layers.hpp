// Some layers of a network, by their names.
//
//     const Network first = select_layers(zoo_network("resnet50"), {"conv1", "layer1.*"});
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

}  // namespace tilewright
