// Densities as a user writes them on a command line or in a list:
//
//     0.3                   that share of every tile is not zero (fixed: too)
//     hypergeometric:0.3    that share of the tensor, anywhere
//     banded:2              of a square matrix, what is at most 2 beside its diagonal
//     2:4, 2:4:C            two of four neighbours along C, or along the first dimension that results are summed over
//     measured:w.npy        those of a .npy or .mtx file
#pragma once

#include <filesystem>
#include <string>

#include "sparse/given.hpp"

namespace tilewright::native {

/// Files are looked up in `folder`. Throws InputError without a place: bad_value, unknown_name for a model that does
/// not exist, and what reading a file may throw.
sparse::GivenDensity read_density(const std::string& text, const std::filesystem::path& folder);

/// "Weights=0.3" and "conv2*:Inputs=2:4". Of `from` and `where` nothing is set.
sparse::DensityRule read_density_rule(const std::string& text, const std::filesystem::path& folder);

}  // namespace tilewright::native
