// Densities in a user's notation, on a command line or in a list:
//
//     0.3                   this share of every tile is non-zero (fixed: too)
//     hypergeometric:0.3    this share of the tensor, anywhere
//     banded:2              of a square matrix, up to 2 beside its diagonal
//     2:4, 2:4:C            two of four neighbours along C, or along the first reduced dimension
//     measured:w.npy        those of a .npy or .mtx file
#pragma once

#include <filesystem>
#include <string>

#include "sparse/given.hpp"

namespace tilewright::native {

/// Files are relative to `folder`. Throws InputError without a place: bad_value, unknown_name for an unknown model, and
/// errors of reading a file.
sparse::GivenDensity read_density(const std::string& text, const std::filesystem::path& folder);

/// "Weights=0.3" and "conv2*:Inputs=2:4". `from` and `where` stay unset.
sparse::DensityRule read_density_rule(const std::string& text, const std::filesystem::path& folder);

}  // namespace tilewright::native
