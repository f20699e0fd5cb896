// A list of densities as a file: CSV with a heading, or YAML (and JSON).
//
//     layer,tensor,density            densities:
//     *,Weights,2:4                   - {layer: "*", tensor: Weights, density: "2:4"}
//     conv1,Weights,1                 - {layer: conv1, tensor: Weights, density: 1}
//
// Layers are names or shell patterns; for the same tensor the later line counts. Densities as below. In
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

// Densities in a user's notation, on a command line or in a list:
//
//     0.3                   this share of every tile is non-zero (fixed: too)
//     hypergeometric:0.3    this share of the tensor, anywhere
//     banded:2              of a square matrix, up to 2 beside its diagonal
//     2:4, 2:4:C            two of four neighbours along C, or along the first reduced dimension
//     measured:w.npy        those of a .npy or .mtx file

/// Files are relative to `folder`. Throws InputError without a place: bad_value, unknown_name for an unknown model, and
/// errors of reading a file.
sparse::GivenDensity read_density(const std::string& text, const std::filesystem::path& folder);

/// "Weights=0.3" and "conv2*:Inputs=2:4". `from` and `where` stay unset.
sparse::DensityRule read_density_rule(const std::string& text, const std::filesystem::path& folder);

}  // namespace tilewright::native
