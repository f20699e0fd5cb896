// A list of densities as a file: CSV with a heading, or YAML (and JSON).
//
//     layer,tensor,density            densities:
//     *,Weights,2:4                   - {layer: "*", tensor: Weights, density: "2:4"}
//     conv1,Weights,1                 - {layer: conv1, tensor: Weights, density: 1}
//
// Layers are names or patterns as of shells; of two lines about the same tensor the later one counts. Densities are as
// density_text.hpp has them. In CSV, empty lines and those that begin with '#' say nothing, and a field in quotes may
// hold commas.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sparse/given.hpp"

namespace tilewright::native {

/// Whether a file of this name holds such a list: .csv, .yaml, .yml, .json.
bool names_density_file(const std::string& name);

/// By the ending of its name. Throws InputError at the place of what is wrong.
std::vector<sparse::DensityRule> read_density_file(const std::filesystem::path& path);

/// The same from text; `file` stands for it in messages, and files that it names lie beside it.
std::vector<sparse::DensityRule> read_density_csv(std::string_view text, const std::string& file);
std::vector<sparse::DensityRule> read_density_yaml(std::string_view text, const std::string& file);

}  // namespace tilewright::native
