// What a machine does about the zeros of a layer, as text: for keys of the cache.
#pragma once

#include <string>

#include "sparse/design.hpp"

namespace tilewright::native {

/// One line with every number of it, exact to the bit, and a hash of which elements of measured tensors are not zero:
/// equal designs give equal bytes, others do not. No names of tensors or memories.
std::string to_text(const sparse::Design& design);

}  // namespace tilewright::native
