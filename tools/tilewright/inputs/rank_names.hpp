// What the ranks of layers are called: as the user says, or as a machine's constraints need it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "workload/network.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

/// --rename OLD=NEW. A name that no layer has is an InputError(usage): it would be lost.
void rename_as_asked(const std::string& verb, const std::vector<std::string>& asked, Network& network);

/// Layers from elsewhere on a machine whose files have a problem of their own: their constraints are about its names.
/// Returns what is to be noted of it.
std::vector<std::string> name_by_role(const yaml::Node& root, const std::vector<std::filesystem::path>& folders,
                                      Network& network);

}  // namespace tilewright::cli
