// Compound components (Accelergy): classes that a file defines from other classes. Only what an energy estimator needs
// is resolved: which attributes a class reads, and which known class stands behind it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// The definition of the class `name` in the sections `components` and `compound_components` of `root`, if there is
/// one.
std::optional<yaml::Node> find_compound(const yaml::Node& root, const std::string& name);

/// Names of attributes that have a use although this reader does not know them: those that an expression in
/// `architecture` refers to, and those that a compound class declares or refers to.
std::vector<std::string> names_in_use(const yaml::Node& root, const yaml::Node& architecture);

/// Why `name` is no class of a component: it is one of the file's own, which stands under `subclass`, or unknown.
std::string unknown_class(const yaml::Node& root, const std::string& name);

/// The class whose energy and area are those of `name`: itself when an estimator knows it, else the one of its first
/// part that is a memory or a compute unit, and so on. "" for a class without parts, which costs nothing. Fails with
/// cyclic_inheritance.
std::string resolved_class(const yaml::Node& root, const std::string& name);

}  // namespace tilewright::timeloop
