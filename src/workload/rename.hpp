// Other names for a network's dimensions and tensors, to make constraints apply.
//
//     rename_ranks(network, {{"K", "M"}, {"C", "E"}});     // at once: {{"P", "Q"}, {"Q", "P"}} swaps two
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workload/network.hpp"

namespace tilewright {

/// Renames in every layer with the name. Throws InputError: unknown_name, with the nearest, for an absent name;
/// duplicate_key for a name given twice, or twice in a layer afterwards.
void rename_ranks(Network& network, const std::vector<std::pair<std::string, std::string>>& names);

/// Renames these names in one layer. Throws InputError(duplicate_key).
void rename_ranks(Layer& layer, const std::vector<std::pair<std::string, std::string>>& names);

}  // namespace tilewright
