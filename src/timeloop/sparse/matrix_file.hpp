// Reads which elements of a tensor are not zero: from an array of NumPy (.npy, versions 1 to 3) or a matrix in Matrix
// Market's notation (.mtx, coordinates or an array).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sparse/density.hpp"

namespace tilewright::timeloop {

/// By the ending of its name. Throws InputError: missing_file, unsupported for another ending, syntax and bad_value for
/// what is no such file, unsupported for types of NumPy without plain numbers and for complex or symmetric values that
/// are none of general, symmetric and skew-symmetric.
sparse::Measured read_matrix_file(const std::filesystem::path& path);

/// The same from bytes.
sparse::Measured read_npy(std::string_view bytes, const std::string& file);
sparse::Measured read_matrix_market(std::string_view text, const std::string& file);

}  // namespace tilewright::timeloop
