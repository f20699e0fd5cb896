// Other names for a network's dimensions and tensors, to make constraints apply.
//
//     rename_ranks(network, {{"K", "M"}, {"C", "E"}});     // at once: {{"P", "Q"}, {"Q", "P"}} swaps two
// Matching of a layer's dimensions and tensors in another einsum by role, independent of names. An output channel is
// relevant to weights and results and not to inputs; a filter row shares a rank of the inputs with a result row.
//
//     const auto names = names_by_role(layer.einsum, like);   // {{"K", "M"}, {"P", "E"}, ...}
//
// Pure functions; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workload/einsum.hpp"
#include "workload/network.hpp"

namespace tilewright {

/// Renames in every layer with the name. Throws InputError: unknown_name, with the nearest, for an absent name;
/// duplicate_key for a name given twice, or twice in a layer afterwards.
void rename_ranks(Network& network, const std::vector<std::pair<std::string, std::string>>& names);

/// Renames these names in one layer. Throws InputError(duplicate_key).
void rename_ranks(Layer& layer, const std::vector<std::pair<std::string, std::string>>& names);

/// Names in `like` of the dimensions and tensors of `layer`: corresponding tensors have ranks over the same dimensions,
/// up to coefficients and dimensions absent from `layer`. Prefers equal names. Empty without a match. Lists differing
/// names only.
std::optional<std::vector<std::pair<std::string, std::string>>> names_by_role(const Einsum& layer, const Einsum& like);

}  // namespace tilewright
