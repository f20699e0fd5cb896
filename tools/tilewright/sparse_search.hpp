// map of machines that do something about zeros.
#pragma once

#include "inputs.hpp"
#include "run/sparse/map_sparse.hpp"
#include "run/sparse/sparse_cache.hpp"
#include "search.hpp"

namespace tilewright::cli {

struct SparseAnswer {
    SparseNetwork problem;  ///< what was searched, layer by layer of the report
    report::Report report;
};

/// Maps every layer by the exact account of zeros, as search_layers() does. Throws as that, and InputError(usage) for
/// settings that are for dense machines only.
SparseAnswer map_sparse_layers(Inputs& inputs, const Network& network, const Architecture& architecture,
                               const MapOptions& options, SparseCache& cache, bool quiet);

}  // namespace tilewright::cli
