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
    std::string source;                   ///< where the shapes come from
    std::vector<std::string> dimensions;  ///< what zoo_network takes an extent for: "batch", "sequence", "context"
};

std::vector<ZooEntry> zoo_networks();

/// The most that a dimension of a network may be.
constexpr std::int64_t kMostZooExtent = 1'000'000'000;

/// `extents` by dimension: "batch" (images or prompts at once), "sequence" (tokens of a prompt), "context" (tokens
/// before the one that is decoded); what is left out is as the description says. Throws InputError(unknown_name), with
/// what there is, for a network or a dimension of it that does not exist, and InputError(bad_value) for an extent that
/// is not from 1 to kMostZooExtent.
Network zoo_network(std::string_view name, const std::map<std::string, std::int64_t>& extents = {});

}  // namespace tilewright
