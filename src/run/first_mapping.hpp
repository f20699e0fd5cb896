// A legal mapping of a layer, the first that is met: the answer of a search whose time is up before it has found one.
// Pure functions but for the search they run.
#pragma once

#include <optional>

#include "run/map_layer.hpp"

namespace tilewright {

/// Draws mappings until one is legal, as hybrid begins, for a second at most, whatever the time limit of `options`.
/// Nothing where none was met, and for what hybrid does not search in a moment: sparsity, several widths, mappers with
/// cost models of their own. Uneven mappings and paddings: an even mapping of the layer itself is one of them.
std::optional<LayerAnswer> first_mapping(const LayerProblem& problem, const MapOptions& options,
                                         const SearchControl& control);

/// The answer; of a search that ended without a mapping, the `first` one, with a claim that says so. The bound and the
/// counts stay those of the search.
LayerAnswer or_first(LayerAnswer answer, const std::optional<LayerAnswer>& first);

}  // namespace tilewright
