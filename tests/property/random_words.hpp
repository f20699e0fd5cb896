// Random words of a layer: of two widths, and in blocks that share a scale.
#pragma once

#include "base/numbers/random.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright::property {

/// Sets the widths of elements, too.
BlockFormats random_formats(Random& random, Einsum& einsum);

/// Results' partial sums, wider than final ones, whose widths it sets where there are none.
PartialBits random_partial_bits(Random& random, Einsum& einsum);

}  // namespace tilewright::property
