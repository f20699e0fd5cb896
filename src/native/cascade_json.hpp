// Cascades as JSON and back: everything fused mappings and their costs depend on. Readers throw InputError at the
// value's place. Internal to native.
#pragma once

#include "native/problem_json.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::native {

Json json_of(const Cascade& cascade);
/// Sound, as problem_with(cascade) says.
Cascade cascade_of(const yaml::Node& node);

}  // namespace tilewright::native
