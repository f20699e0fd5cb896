// A machine's sparse design for a layer as JSON and back. Internal to native.
#pragma once

#include "native/problem_json.hpp"
#include "sparse/design.hpp"

namespace tilewright::native {

Json json_of(const sparse::Design& design);

/// Of a machine with this number of memories. Throws InputError at an invalid place. Tensors with elements at known
/// places (banded, measured) are not read.
sparse::Design design_of(const yaml::Node& node, const Einsum& einsum, int memories);

}  // namespace tilewright::native
