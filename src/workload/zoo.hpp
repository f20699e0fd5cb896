// Networks by name: "resnet50", "bert-base", ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workload/network.hpp"

namespace tilewright {

struct ZooEntry {
    std::string name;
    std::string description;
    std::string source;  ///< where the shapes come from
};

std::vector<ZooEntry> zoo_networks();

/// Throws InputError(unknown_name) with the nearest name.
Network zoo_network(std::string_view name);

}  // namespace tilewright
