// A machine's sparse design for a layer as text: for keys of the cache.
#pragma once

#include <string>

#include "sparse/design.hpp"

namespace tilewright::native {

/// One line with all its numbers, bit-exact, and a hash of measured tensors' non-zero patterns: equal bytes if and only
/// if equal designs. No names of tensors or memories.
std::string to_text(const sparse::Design& design);

}  // namespace tilewright::native
