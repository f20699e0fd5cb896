// Maps a network with a line of progress on the terminal and Ctrl-C.
#pragma once

#include "run/map_network.hpp"

namespace tilewright::cli {

/// map_network(); after Ctrl-C every layer that was begun has its best so far. `map_shape`: as of NetworkControl.
/// Throws as map_network().
NetworkAnswer search_layers(const NetworkProblem& problem, const MapOptions& options, AnswerCache& cache, bool quiet,
                            const MapsShape& map_shape = {});

}  // namespace tilewright::cli
