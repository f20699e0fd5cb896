// Other names for the dimensions and tensors of a network, so that constraints written for them apply.
//
//     rename_ranks(network, {{"K", "M"}, {"C", "E"}});     // at once: {{"P", "Q"}, {"Q", "P"}} swaps two
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workload/network.hpp"

namespace tilewright {

/// Renames in every layer that has the name. Throws InputError: unknown_name, with the nearest, for a name that no
/// layer has; duplicate_key for a name that is given twice, or that a layer would have twice.
void rename_ranks(Network& network, const std::vector<std::pair<std::string, std::string>>& names);

/// Renames what one layer has of these names. Throws InputError(duplicate_key).
void rename_ranks(Layer& layer, const std::vector<std::pair<std::string, std::string>>& names);

}  // namespace tilewright
