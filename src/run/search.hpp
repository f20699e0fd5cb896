// The bare search of one layer: which mapper searches, in which mapspace, and of which padded forms; what it found,
// judged, or why it found nothing. map_layer() evaluates what it finds. Free functions on values, for any number of
// threads.
//
//     const SearchResult found = search_layer(problem, options, &stop, progress);
#pragma once

#include <string>
#include <vector>

#include "base/stop.hpp"
#include "mapper/mapper.hpp"
#include "mapper/padded.hpp"
#include "mapping/mapping.hpp"
#include "mapping/validity.hpp"
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

/// What a mapper may spend on one layer. `stop` may be null.
Budget budget_of(const MapOptions& options, const Mapper& mapper, const StopSource* stop);

/// The mappings that are searched; of padded factors: those of the layer itself. Throws OverflowError.
Mapspace mapspace_of(const LayerProblem& problem, const MapOptions& options);

/// The options leave the choice of a mapper open, and here the optimal mapper's proof may take long: hybrid searches in
/// its place. Not where zeros are priced, which hybrid bounds nothing of.
bool hybrid_stands_in(const LayerProblem& problem, const Mapspace& mapspace, const MapOptions& options);

/// The mapping of an answer, where nothing is wrong with it: judged by code that does not know who found it. Throws
/// std::logic_error else.
Mapping verified(Mapping found, const std::vector<Violation>& violations);

/// Why a search found no mapping.
std::string failure_of(const SearchResult& found);

/// That reason, and which demands exclude each other where that can be told.
std::vector<std::string> failures_of(std::string reason, const LayerProblem& problem, const MapOptions& options);

}  // namespace tilewright
