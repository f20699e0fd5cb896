// Dimensions and tensors by their roles: those of a layer are recognised in another einsum by what they do, whatever
// either calls them. An output channel moves weights and results and not inputs; a filter's row shares a rank of the
// inputs with a row of the results.
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

/// What `like` calls the dimensions and tensors of `layer`: every tensor has ranks over the same dimensions then, up to
/// coefficients and dimensions that `layer` lacks. Among several ways one that keeps names. Nothing when there is none.
/// Only names that differ are listed.
std::optional<std::vector<std::pair<std::string, std::string>>> names_by_role(const Einsum& layer, const Einsum& like);

}  // namespace tilewright
