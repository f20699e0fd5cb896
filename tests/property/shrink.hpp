// Shrinking: from a nest that fails to the smallest one that still does.
#pragma once

#include <functional>

#include "nest.hpp"

namespace tilewright::property {

/// Takes things away one at a time (loops, dimensions, memories, tensors, terms, remainders, bypasses) as long as the
/// nest still fails. Requires fails(nest). `fails` only sees sound nests with legal mappings.
Nest shrink(Nest nest, const std::function<bool(const Nest&)>& fails);

}  // namespace tilewright::property
