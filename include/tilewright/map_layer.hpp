// SPDX-License-Identifier: Apache-2.0
// map_layer(): the best mapping of one layer that a search finds, verified, costed, and with what it is worth.
//
//     const LayerAnswer answer = map_layer({einsum, architecture, constraints}, {.seed = 7});
//     if (answer.search->proven) std::cout << answer.search->claim << '\n';
//
// Equal problems, options and seeds give equal answers on any number of threads, but for a time limit and a stop.
// Thread-safe: pure but for the progress that it tells. Throws InputError(usage) for options that do not go together,
// OverflowError for layers too large to count.
#pragma once

#include "run/map_layer.hpp"
