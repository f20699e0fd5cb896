// map of machines that do something about zeros.
#pragma once

#include "inputs.hpp"
#include "search.hpp"

namespace tilewright::cli {

/// Maps every layer by the exact account of zeros, with Ctrl-C. Throws as map_sparse(), and InputError(usage) for
/// settings that are for dense machines only.
report::Report map_sparse_layers(Inputs& inputs, const Network& network, const Architecture& architecture,
                                 const MapOptions& options);

}  // namespace tilewright::cli
