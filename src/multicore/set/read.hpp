// Files of SET's runs: networks (a layer a line, as JSON), machines (run.json) and printed trees (*.scheme.txt).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "multicore/set/values.hpp"
#include "yaml/node.hpp"

namespace tilewright::multicore::set {

/// Throws InputError at its place.
std::vector<Layer> read_layers(std::string_view text, const std::string& file);
Machine read_machine(const yaml::Node& root);
/// Throws InputError at its line: syntax; unknown_name for layers that the network does not have.
Tree read_tree(std::string_view text, const std::vector<Layer>& layers, const std::string& file);

}  // namespace tilewright::multicore::set
