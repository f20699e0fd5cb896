// Networks by name: "resnet50", "bert-base", ...
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workload/network.hpp"

namespace tilewright {

struct ZooEntry {
    std::string name;
    std::string description;
    std::string source;                   ///< source of the shapes
    std::vector<std::string> dimensions;  ///< extents of zoo_network: "batch", "sequence", "context"
};

std::vector<ZooEntry> zoo_networks();

/// Maximum extent of a network dimension.
constexpr std::int64_t kMostZooExtent = 1'000'000'000;

/// `extents` by dimension: "batch" (images or prompts at once), "sequence" (tokens of a prompt), "context" (tokens
/// before the decoded one); defaults by the description. Throws InputError(unknown_name), with the choices, for an
/// unknown network or dimension, and InputError(bad_value) for an extent outside 1 to kMostZooExtent.
Network zoo_network(std::string_view name, const std::map<std::string, std::int64_t>& extents = {});

}  // namespace tilewright
