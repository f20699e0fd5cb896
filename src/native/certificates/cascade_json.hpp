// Cascades in certificates. Internal to native, but for difference().
#pragma once

#include <string>

#include "native/problem_json.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::native {

Json json_of(const Cascade& cascade);
/// Sound, as problem_with(cascade) says. Throws InputError at its place.
Cascade cascade_of(const yaml::Node& node);

/// First difference of two cascades relevant to mappings and plans, in words, or "".
std::string difference(const Cascade& cascade, const Cascade& other);

}  // namespace tilewright::native
