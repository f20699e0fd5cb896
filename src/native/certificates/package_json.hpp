// Packages of cores in certificates: every number that plans depend on. Internal to native, but for difference().
#pragma once

#include <string>

#include "native/problem_json.hpp"
#include "package/package.hpp"

namespace tilewright::native {

Json json_of(const package::Package& package);
/// Sound, as package::problem_with says. Throws InputError at its place.
package::Package package_of(const yaml::Node& node);

/// First part in which they differ, in words, or "".
std::string difference(const package::Package& package, const package::Package& other);

}  // namespace tilewright::native
