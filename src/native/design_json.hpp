// What a machine does about the zeros of a layer as JSON and back. Internal to native.
#pragma once

#include "native/problem_json.hpp"
#include "sparse/design.hpp"

namespace tilewright::native {

Json json_of(const sparse::Design& design);

/// Of a machine with so many memories. Throws InputError at the place of what cannot be. Tensors whose elements are in
/// known places (banded, measured) are not read.
sparse::Design design_of(const yaml::Node& node, const Einsum& einsum, int memories);

}  // namespace tilewright::native
