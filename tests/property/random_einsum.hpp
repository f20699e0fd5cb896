// Random einsums: the layers of networks at small sizes, and affine contractions that no network has.
#pragma once

#include <cstdint>

#include "base/numbers/random.hpp"
#include "workload/einsum.hpp"

namespace tilewright::property {

/// Sound, every dimension used, written tensors last (as parse_einsum has them); of at most `operations`
/// multiply-accumulates.
Einsum random_einsum(Random& random, std::int64_t operations);

}  // namespace tilewright::property
