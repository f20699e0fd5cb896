// Sections of a tree of input files, read and unread, and their files.
// Names of named items, for messages.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// A note for each unread section (anchors, or other tools' input). Throws InputError(unknown_key) at an unknown
/// section (a slip, or a foreign tool's) unless it is marked as no input: it holds anchors for others, its name ends in
/// "ignore" as in Timeloop, or it is words about the file.
std::vector<std::string> unused_sections(const yaml::Node& tree);
/// The same, with all such sections in `mistakes`.
std::vector<std::string> unused_sections(const yaml::Node& tree, std::vector<InputError>& mistakes);

/// Source files of a tree's values, includes counted.
std::set<std::string> files_of(const yaml::Node& tree);

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& items) {
    std::vector<std::string> names;
    names.reserve(items.size());
    for (const Named& item : items) names.push_back(item.name);
    return names;
}

}  // namespace tilewright::timeloop
