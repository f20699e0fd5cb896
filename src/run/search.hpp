// The bare search of one layer: which mapper searches, in which mapspace, and of which padded forms. map_layer()
// verifies and evaluates what it finds. Free functions on values, for any number of threads.
//
//     const SearchResult found = search_layer(problem, options, &stop, progress);
#pragma once

#include "base/stop.hpp"
#include "mapper/mapper.hpp"
#include "mapper/padded.hpp"
#include "mapspace/mapspace.hpp"
#include "run/map_layer.hpp"
#include "run/options.hpp"

namespace tilewright {

/// Requires a mapspace that is not empty. Options are taken as they are: what the mapper cannot do it says in its
/// remark. `stop` may be null. Throws OverflowError.
SearchResult search_layer(const LayerProblem& problem, const MapOptions& options, const StopSource* stop,
                          const ProgressCallback& progress = {});

/// The same with the einsums that were mapped: those of padded forms. `mapspace`: of the layer itself.
PaddedResult search_layer_or_paddings(const LayerProblem& problem, const Mapspace& mapspace, const MapOptions& options,
                                      const StopSource* stop, const ProgressCallback& progress);

/// The mappings that are searched; of padded factors: those of the layer itself. Throws OverflowError.
Mapspace mapspace_of(const LayerProblem& problem, const MapOptions& options);

/// The options leave the choice of a mapper open, and here the optimal mapper's proof may take long: hybrid searches in
/// its place.
bool hybrid_stands_in(const Mapspace& mapspace, const MapOptions& options);

}  // namespace tilewright
