// The sections of a tree of input files: those that are read, those that are not, and the files they are
// from.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Sections may be there that are not read: they hold anchors, or belong to other tools. A note for each. Throws
/// InputError(unknown_key) at an unknown one: it is a slip, or belongs to a tool that this is not, unless it
/// says that it is no input (it holds anchors for others, its name ends in "ignore" as Timeloop has it, or it is words
/// about the file).
std::vector<std::string> unused_sections(const yaml::Node& tree);
/// The same, but that such sections go to `mistakes`, all of them.
std::vector<std::string> unused_sections(const yaml::Node& tree, std::vector<InputError>& mistakes);

/// The files that the values of a tree were written in: more than the user named when there are includes.
std::set<std::string> files_of(const yaml::Node& tree);

}  // namespace tilewright::timeloop
