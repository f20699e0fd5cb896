// Expected counts of every access of a layer with zeros in a nest with remainders. Internal to sparse_model.cpp.
#pragma once

#include "arch/architecture.hpp"
#include "model/sparse/counts.hpp"
#include "model/sparse/iterations.hpp"

namespace tilewright::sparse {

/// As expected_counts(). Throws Uncounted.
Expected imperfect_counts(const Mapped& mapped, const Architecture& architecture);

/// As expected_room(), on average of all tiles and the largest one's.
ExpectedTensor imperfect_room(const Nest& nest, const Design& design, int memory, int tensor, std::int64_t tile_words,
                              Iterations& iterations);

}  // namespace tilewright::sparse
