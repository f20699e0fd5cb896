// Compound components (Accelergy): classes defined in a file from other classes. Resolves only an estimator's needs:
// the attributes read by a class, and its underlying known class.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// The definition of class `name` in the sections `components` and `compound_components` of `root`, if any.
std::optional<yaml::Node> find_compound(const yaml::Node& root, const std::string& name);

/// Attribute names unknown to this reader but in use: referenced by an expression in `architecture`, or declared or
/// referenced by a compound class.
std::vector<std::string> names_in_use(const yaml::Node& root, const yaml::Node& architecture);

/// Reason why `name` is no component class: one of the file's own, which belongs under `subclass`, or unknown.
std::string unknown_class(const yaml::Node& root, const std::string& name);

/// The class with the energy and area of `name`: itself if an estimator knows it, else recursively its first memory or
/// compute part. "" for a class without parts, which costs nothing. Fails with cyclic_inheritance.
std::string resolved_class(const yaml::Node& root, const std::string& name);

}  // namespace tilewright::timeloop
