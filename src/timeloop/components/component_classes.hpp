// Roles of components, from Timeloop's substrings of the class name.
// Compound components (Accelergy): classes defined in a file from other classes. Resolves only an estimator's needs:
// the attributes read by a class, and its underlying known class.
// Attribute names known to Timeloop, its front end and Accelergy.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

enum class Role {
    memory,   ///< the class contains DRAM, SRAM, regfile, smartbuffer or storage
    compute,  ///< ... mac or compute
    network,  ///< ... XY_NoC, Legacy, ReductionTree or SimpleMulticast
    passive,  ///< wires, adders and the like: only an energy estimator uses them
    unknown,
};

Role role_of(std::string_view component_class);

/// The class words of the table above, for messages.
std::string known_classes();

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

/// Attributes with a use here or without effect on a dense model; known_keys.cpp tells them apart.
const std::vector<std::string>& known_attributes();

bool is_in(const std::vector<std::string>& words, const std::string& word);

}  // namespace tilewright::timeloop
