// map of layers whose results are wider while they are partial sums: --bits Outputs=8/32.
#pragma once

#include <vector>

#include "run/partial_sums/partial_sums.hpp"
#include "search.hpp"

namespace tilewright::cli {

/// Refuses settings whose answer nothing here stands behind; throws InputError(usage).
void check_for_partial_sums(const MapOptions& options);

/// Maps the network with each of both widths, and reports the better mapping of every shape. `partial`: by layer.
/// Throws as map_network(), and InputError(usage) where layers of one shape have partial sums of several widths.
report::Report map_partial_sums(const Network& network, const Architecture& architecture,
                                const std::vector<PartialBits>& partial, const ConstraintsOf& constraints,
                                const MapOptions& options, AnswerCache& cache, bool quiet);

}  // namespace tilewright::cli
