// A list of densities as a file: CSV with a heading, or YAML (and JSON).
//
//     layer,tensor,density            densities:
//     *,Weights,2:4                   - {layer: "*", tensor: Weights, density: "2:4"}
//     conv1,Weights,1                 - {layer: conv1, tensor: Weights, density: 1}
//
// Layers are names or shell patterns; for the same tensor the later line counts. Densities as in density_text.hpp. In
// CSV, empty lines and those beginning with '#' are skipped, and a quoted field may hold commas.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sparse/given.hpp"

namespace tilewright::native {

/// Whether this file name is of such a list: .csv, .yaml, .yml, .json.
bool names_density_file(const std::string& name);

/// By the ending of its name. Throws InputError at the place of an error.
std::vector<sparse::DensityRule> read_density_file(const std::filesystem::path& path);

/// The same from text; `file` names it in messages and anchors its relative files.
std::vector<sparse::DensityRule> read_density_csv(std::string_view text, const std::string& file);
std::vector<sparse::DensityRule> read_density_yaml(std::string_view text, const std::string& file);

}  // namespace tilewright::native
