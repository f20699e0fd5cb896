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

namespace tilewright {

/// Names in `like` of the dimensions and tensors of `layer`: corresponding tensors have ranks over the same dimensions,
/// up to coefficients and dimensions absent from `layer`. Prefers equal names. Empty without a match. Lists differing
/// names only.
std::optional<std::vector<std::pair<std::string, std::string>>> names_by_role(const Einsum& layer, const Einsum& like);

}  // namespace tilewright
