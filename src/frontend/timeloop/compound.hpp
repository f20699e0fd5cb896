// Compound components (Accelergy): classes that a file defines from other classes. Only what an energy estimator needs
// is resolved: which attributes a class reads, and which known class stands behind it.
#pragma once

#include <string>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// The definition of the class `name` in the sections `components` and `compound_components` of `root`, or null.
const yaml::Node* find_compound(const yaml::Node& root, const std::string& name);

/// The names of the attributes that the class `name` declares.
std::vector<std::string> compound_attributes(const yaml::Node& root, const std::string& name);

/// The class whose energy and area are those of `name`: itself when an estimator knows it, else the one of its first
/// part that is a memory or a compute unit, and so on. "" for a class without parts, which costs nothing. Fails with
/// cyclic_inheritance.
std::string resolved_class(const yaml::Node& root, const std::string& name);

}  // namespace tilewright::timeloop
