// map of machines that do something about zeros.
#pragma once

#include "inputs.hpp"
#include "search.hpp"

namespace tilewright::cli {

/// Maps every layer by the exact account of zeros, as search_layers() does. Throws as that, and InputError(usage) for
/// settings that are for dense machines only.
report::Report map_sparse_layers(Inputs& inputs, const Network& network, const Architecture& architecture,
                                 const MapOptions& options, bool quiet);

/// Says in a layer's result who said what its tensors are like. Requires inputs.network() to have been called.
void name_density_sources(const Inputs& inputs, const Network& network, report::LayerResult& result);

}  // namespace tilewright::cli
